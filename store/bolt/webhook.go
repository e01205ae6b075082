package bolt

import (
	"encoding/json"

	"signalbox/store"
)

// webhooksKey is where the jobs bucket keeps the addresses that are told of
// events, all in one value.
var webhooksKey = []byte{'w'}

// Webhooks implements store.Reader.
func (r *reader) Webhooks() (list []store.Webhook, err error) {
	v := r.value(jobsBucket, webhooksKey)
	if v == nil {
		return nil, nil
	}
	if err := json.Unmarshal(v, &list); err != nil {
		return nil, damaged("webhooks", errDamaged)
	}
	return list, nil
}

// PutWebhooks implements store.Tx.
func (t *tx) PutWebhooks(list []store.Webhook) error {
	v, err := store.Encode(list)
	if err != nil {
		return err
	}
	t.set(jobsBucket, webhooksKey, v)
	return t.broken
}
