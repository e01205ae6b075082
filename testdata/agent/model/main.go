// Command model stands in for a language model behind HTTP, for trying what
// works items by asking one. It needs no network and no key.
//
//	POST /turn  {"messages": [{"role", "content"}]}  answers {"content", "done"}: the third turn is done
//	POST /work  an item as Signalbox posts it        answers {"summary"}, or 422 for one without "text"
//
// Each answer takes a while (-turn), and no more than so many are given at once
// (-at-once): one more gets 429 and is told when to come back.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"strings"
	"time"
)

type model struct {
	turn   time.Duration
	places chan struct{}
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

func main() {
	address := flag.String("listen", "127.0.0.1:8091", "where to listen; port 0 takes a free one")
	turn := flag.Duration("turn", 200*time.Millisecond, "how long an answer takes")
	atOnce := flag.Int("at-once", 100, "answers given at once")
	flag.Parse()
	l, err := net.Listen("tcp", *address)
	if err != nil {
		log.Fatal(err)
	}
	m := &model{turn: *turn, places: make(chan struct{}, *atOnce)}
	http.HandleFunc("POST /turn", m.serve(m.answer))
	http.HandleFunc("POST /work", m.serve(m.work))
	fmt.Printf("http://%s\n", l.Addr())
	log.Fatal(http.Serve(l, nil))
}

// serve takes a place and a while for each request.
func (m *model) serve(do func(http.ResponseWriter, *json.Decoder)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		select {
		case m.places <- struct{}{}:
			defer func() { <-m.places }()
		default:
			w.Header().Set("Retry-After", "1")
			http.Error(w, "too many requests", http.StatusTooManyRequests)
			return
		}
		select {
		case <-time.After(m.turn):
		case <-r.Context().Done():
			return
		}
		do(w, json.NewDecoder(http.MaxBytesReader(w, r.Body, 16<<20)))
	}
}

// answer is one turn of a talk.
func (m *model) answer(w http.ResponseWriter, d *json.Decoder) {
	var talk struct {
		Messages []message `json:"messages"`
	}
	if err := d.Decode(&talk); err != nil || len(talk.Messages) == 0 {
		http.Error(w, "a talk has messages", http.StatusBadRequest)
		return
	}
	said := 0
	for _, msg := range talk.Messages {
		if msg.Role == "assistant" {
			said++
		}
	}
	reply(w, http.StatusOK, map[string]any{"content": fmt.Sprintf("thought %d", said+1), "done": said >= 2})
}

// work is one item in one request.
func (m *model) work(w http.ResponseWriter, d *json.Decoder) {
	var item struct {
		Payload struct {
			Text string `json:"text"`
		} `json:"payload"`
	}
	switch err := d.Decode(&item); {
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadRequest)
	case item.Payload.Text == "":
		reply(w, http.StatusUnprocessableEntity, map[string]any{"reason": "there is no text to work on"})
	default:
		words := strings.Fields(item.Payload.Text)
		reply(w, http.StatusOK, map[string]any{"summary": strings.Join(words[:min(3, len(words))], " "), "words": len(words)})
	}
}

func reply(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(v) // a caller that has gone needs no answer
}
