package engine

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"sync/atomic"

	"signalbox/store"
)

// KeySize is the length of an engine's key, in bytes.
const KeySize = 32

// Contents of encrypted queues' items are sealed before a store gets them. A seal
// is text, so that it fits wherever the content would:
//
//	sealed:1: and in base64 key's id (4 bytes) · nonce (12) · AES-256-GCM
//
// with the item and the field as additional data, so that nothing sealed can be
// put elsewhere. The item is the first of its chain: a retry's copy takes the
// sealed payload over as it is, which an engine without the key can do too.
// What is not sealed is left as it is; no JSON begins with the mark.
const (
	sealMark  = "sealed:1:"
	keyIDSize = 4
	nonceSize = 12
)

// Fields that are sealed.
const (
	fieldPayload   = "payload"
	fieldOutput    = "output"
	fieldAnalytics = "analytics"
	fieldDetails   = "details"
)

// vault seals contents on their way into the store and opens them on their way
// out. Stores, and all that copies them, only ever have them sealed.
type vault struct {
	id    []byte      // of the key
	key   cipher.AEAD // nil: the engine has none
	inUse atomic.Bool // there is an encrypted queue
}

// unlock gives the vault its key; none is none.
func (v *vault) unlock(key []byte) error {
	if len(key) == 0 {
		return nil
	}
	if len(key) != KeySize {
		return store.Invalid("the key", fmt.Sprintf("%d bytes, it has %d", len(key), KeySize), "make one with `head -c 32 /dev/urandom`")
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return err
	}
	if v.key, err = cipher.NewGCM(block); err != nil {
		return err
	}
	sum := sha256.Sum256(append([]byte("signalbox key "), key...))
	v.id = sum[:keyIDSize]
	return nil
}

// look finds out whether there is anything to seal.
func (v *vault) look(ctx context.Context, s store.Store) error {
	return s.View(ctx, func(r store.Reader) error {
		queues, err := r.Queues()
		for i := range queues {
			if queues[i].Encrypted {
				v.inUse.Store(true)
			}
		}
		return err
	})
}

// locked is why contents of the queue can't be written; nil when they can.
func (v *vault) locked(q *store.Queue) error {
	err := &store.Error{Code: store.CodeForbidden, Thing: fmt.Sprintf("queue %q", q.Name)}
	switch {
	case !q.Encrypted:
		return nil
	case v.key == nil:
		err.Rule, err.Mend = "its items' contents are encrypted, and there is no key", "start the engine with SIGNALBOX_KEY_FILE"
		return err
	case q.KeyID != "" && q.KeyID != hex.EncodeToString(v.id):
		err.Rule, err.Mend = "its items are under another key than SIGNALBOX_KEY_FILE gives", "start the engine with the key it was made with"
		return err
	}
	return nil
}

// noteKeys notes whose key encrypted queues are under that were made before queues
// kept that: the one of their oldest item that is sealed. An empty queue gets the
// key of who adds its first.
func (e *Engine) noteKeys(ctx context.Context) error {
	if !e.vault.inUse.Load() {
		return nil
	}
	return e.change(ctx, func(t *tx) error {
		queues, err := t.Queues()
		for n := range queues {
			q := &queues[n]
			if !q.Encrypted || q.KeyID != "" {
				continue
			}
			if q.KeyID = sealedBy(t, q.Name); q.KeyID != "" {
				err = firstOf(err, t.PutQueue(q))
			}
		}
		return err
	})
}

// sealedBy gives the id of the key that a queue's oldest payload is sealed with;
// "" when none is.
func sealedBy(r store.Reader, queue string) string {
	for i, err := range r.Items(store.Query{Queue: queue}) {
		if err != nil { // damaged: the next may tell
			continue
		}
		payload, err := r.Payload(i.ID())
		if err != nil || !sealed(payload) {
			continue
		}
		if b, err := base64.RawStdEncoding.AppendDecode(nil, payload[len(sealMark):]); err == nil && len(b) >= keyIDSize {
			return hex.EncodeToString(b[:keyIDSize])
		}
	}
	return ""
}

func sealed(b []byte) bool { return bytes.HasPrefix(b, []byte(sealMark)) }

// seal gives a content as stores keep it.
func (v *vault) seal(chain store.ID, field string, content []byte) []byte {
	nonce := make([]byte, nonceSize)
	_, _ = rand.Read(nonce) // never fails
	b := append(bytes.Clone(v.id), nonce...)
	b = v.key.Seal(b, nonce, content, additional(chain, field))
	return base64.RawStdEncoding.AppendEncode([]byte(sealMark), b)
}

func additional(chain store.ID, field string) []byte { return []byte(chain.String() + "\x00" + field) }

// open gives a content as it was before it was sealed.
func (v *vault) open(chain store.ID, field string, b []byte) ([]byte, error) {
	if !sealed(b) {
		return b, nil
	}
	thing := "the " + field + " of item " + chain.String()
	b, err := base64.RawStdEncoding.AppendDecode(nil, b[len(sealMark):])
	if err != nil || len(b) < keyIDSize+nonceSize {
		return nil, store.Unavailable(thing, fmt.Errorf("its seal is damaged"), "restore it from a backup")
	}
	id, nonce, b := b[:keyIDSize], b[keyIDSize:keyIDSize+nonceSize], b[keyIDSize+nonceSize:]
	locked := &store.Error{Code: store.CodeForbidden, Thing: thing, Mend: "start the engine with SIGNALBOX_KEY_FILE"}
	switch {
	case v.key == nil:
		locked.Rule = "encrypted with key " + hex.EncodeToString(id) + ", and there is no key"
		return nil, locked
	case !bytes.Equal(id, v.id):
		locked.Rule = "encrypted with key " + hex.EncodeToString(id) + ", and this engine has key " + hex.EncodeToString(v.id)
		return nil, locked
	}
	content, err := v.key.Open(nil, nonce, b, additional(chain, field))
	if err != nil {
		return nil, store.Unavailable(thing, fmt.Errorf("its seal is broken: it was altered, or belongs to another item"), "restore it from a backup")
	}
	return content, nil
}

// openPayload reads an item's payload for who works on it.
func (t *tx) openPayload(q *store.Queue, i *store.Item) ([]byte, error) {
	payload, err := t.Payload(i.ID())
	if err != nil || !q.Encrypted {
		return payload, err
	}
	return t.e.vault.open(i.Chain, fieldPayload, payload)
}

// show opens a record's contents for whoever looks; what can't be opened says why.
func (v *vault) show(rec *Record) {
	for field, content := range map[string]*json.RawMessage{fieldPayload: &rec.Payload, fieldOutput: &rec.Output, fieldAnalytics: &rec.Analytics} {
		opened, err := v.open(rec.Chain, field, *content)
		if err != nil {
			opened, _ = store.Encode(veiled(err)) // a string always marshals
		}
		*content = opened
	}
	if rec.Error == nil || rec.Error.Details == "" {
		return
	}
	failure := *rec.Error
	details, err := v.open(rec.Chain, fieldDetails, []byte(failure.Details))
	if failure.Details = string(details); err != nil {
		failure.Details = veiled(err)
	}
	rec.Error = &failure
}

// veiled stands for what can't be opened.
func veiled(err error) string {
	why := err.Error()
	if e, ok := err.(*store.Error); ok && e.Rule != "" {
		why = e.Rule
	}
	return Veil + " " + why
}

// sealingTx seals what a change writes.
type sealingTx struct {
	store.Tx
	v *vault
}

// own is the store's own transaction, for what writes no contents.
func (t *tx) own() store.Tx { return t.Tx.(sealingTx).Tx }

// encrypted says whether a queue's contents are sealed, and that they can be.
func (t sealingTx) encrypted(queue string) (bool, error) {
	if !t.v.inUse.Load() {
		return false, nil
	}
	q, err := t.Tx.Queue(queue)
	if err != nil || !q.Encrypted {
		return false, err
	}
	if err := t.v.locked(&q); err != nil || q.KeyID != "" {
		return true, err
	}
	q.KeyID = hex.EncodeToString(t.v.id) // the first content of a queue from before these were kept
	return true, t.Tx.PutQueue(&q)
}

// PutQueue notes the first encrypted queue.
func (t sealingTx) PutQueue(q *store.Queue) error {
	if q.Encrypted {
		t.v.inUse.Store(true)
	}
	return t.Tx.PutQueue(q)
}

// Add seals the payload. A new item's number is part of its seal, so it is there
// first.
func (t sealingTx) Add(i *store.Item, payload []byte, c store.Change) error {
	if sealed(payload) {
		return t.Tx.Add(i, payload, c)
	}
	yes, err := t.encrypted(i.Queue)
	if err != nil {
		return err
	}
	if !yes {
		return t.Tx.Add(i, payload, c)
	}
	if err := t.Tx.Add(i, []byte(sealMark), c); err != nil {
		return err
	}
	return t.Tx.PutPayload(i.ID(), t.v.seal(i.Chain, fieldPayload, payload))
}

func (t sealingTx) PutPayload(id store.ID, payload []byte) error {
	if sealed(payload) {
		return t.Tx.PutPayload(id, payload)
	}
	yes, err := t.encrypted(id.Queue)
	if err != nil {
		return err
	}
	if !yes {
		return t.Tx.PutPayload(id, payload)
	}
	i, err := t.Tx.Item(id)
	if err != nil {
		return err
	}
	return t.Tx.PutPayload(id, t.v.seal(i.Chain, fieldPayload, payload))
}

func (t sealingTx) PutResult(id store.ID, r store.Result) error {
	if r.IsZero() {
		return t.Tx.PutResult(id, r)
	}
	yes, err := t.encrypted(id.Queue)
	if err != nil {
		return err
	}
	if !yes {
		return t.Tx.PutResult(id, r)
	}
	i, err := t.Tx.Item(id)
	if err != nil {
		return err
	}
	if len(r.Output) > 0 {
		r.Output = t.v.seal(i.Chain, fieldOutput, r.Output)
	}
	if len(r.Analytics) > 0 {
		r.Analytics = t.v.seal(i.Chain, fieldAnalytics, r.Analytics)
	}
	if r.Details != "" {
		r.Details = string(t.v.seal(i.Chain, fieldDetails, []byte(r.Details)))
	}
	return t.Tx.PutResult(id, r)
}
