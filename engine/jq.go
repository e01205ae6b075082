package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/itchyny/gojq"

	"signalbox/store"
)

// jqLimit is how long a jq program may take on one payload.
const jqLimit = 100 * time.Millisecond

// payloadTerm is a term that must read the payload.
type payloadTerm struct {
	text    string
	code    *gojq.Code
	inverse bool
}

func (f *Filter) addJQ(w word) error {
	const mend = `write it as jq:".total > 100"`
	query, err := gojq.Parse(w.value)
	if err != nil {
		return w.bad(oneLine(err), mend)
	}
	if err := boundJQ(reflect.ValueOf(query)); err != nil {
		return w.bad(oneLine(err), mend)
	}
	nothing := gojq.WithEnvironLoader(func() []string { return nil })
	code, err := gojq.Compile(query, append([]gojq.CompilerOption{nothing}, jqBounds...)...)
	if err != nil {
		return w.bad(oneLine(err), mend)
	}
	f.payload = append(f.payload, payloadTerm{w.text, code, w.inverse})
	return nil
}

// matchPayload says whether an item's payload gives neither false nor null for
// every jq program. A program that fails on a payload does not match it; one
// that takes longer than jqLimit is an error.
func (f *Filter) matchPayload(ctx context.Context, r store.Reader, v *vault, i *store.Item) (bool, error) {
	id := i.ID()
	payload, err := r.Payload(id)
	if err == nil {
		payload, err = v.open(i.Chain, fieldPayload, payload)
	}
	if err != nil {
		return false, nil // unreadable: set aside
	}
	var value any
	if err := json.Unmarshal(payload, &value); err != nil {
		return false, nil
	}
	for _, t := range f.payload {
		yes, err := t.holds(ctx, value)
		if err != nil {
			return false, fmt.Errorf("item %s: %w", id, err)
		}
		if yes == t.inverse {
			return false, nil
		}
	}
	return true, nil
}

func (t *payloadTerm) holds(ctx context.Context, value any) (bool, error) {
	limited, cancel := context.WithTimeout(ctx, jqLimit)
	defer cancel()
	result, ok := t.code.RunWithContext(limited, value).Next()
	if limited.Err() != nil {
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		return false, store.Invalid("filter "+t.text, fmt.Sprintf("takes longer than %s on one payload", jqLimit), "make it simpler")
	}
	failure, failed := result.(error)
	if errors.Is(failure, errJQLarge) {
		return false, store.Invalid("filter "+t.text, "makes too large a value of one payload", "make it simpler")
	}
	if failed || !ok {
		return false, nil
	}
	return result != nil && result != false, nil
}
