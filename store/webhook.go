package store

// Webhook is an address that is told of events.
type Webhook struct {
	Name      string   `json:"name"`
	URL       string   `json:"url"`
	Events    []string `json:"events"`
	Secret    string   `json:"secret,omitempty"` // with which what is sent is signed
	CreatedAt Time     `json:"created_at"`
	CreatedBy string   `json:"created_by,omitempty"`
}
