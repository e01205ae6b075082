package engine_test

import (
	"encoding/json"
	"testing"

	"signalbox/engine"
)

func TestMask(t *testing.T) {
	mask := []string{"iban", "customer.name"}
	for in, want := range map[string]string{
		`{"b":1.50,"IBAN":"DE1","a":"<"}`:                `{"b":1.50,"IBAN":"••••","a":"<"}`,
		`{"customer":{"name":"Anna","id":7},"name":"x"}`: `{"customer":{"name":"••••","id":7},"name":"x"}`,
		`{"rows":[{"iban":1},{"iban":{"deep":true}}]}`:   `{"rows":[{"iban":"••••"},{"iban":"••••"}]}`,
		`{"iban":1,"iban":2,"n":12345678901234567890}`:   `{"iban":"••••","iban":"••••","n":12345678901234567890}`,
		`"text"`:              `"text"`,
		`{"iban":`:            `"••••"`,
		`{ "x" : [ 1 , 2 ] }`: `{"x":[1,2]}`,
	} {
		if got := string(engine.Mask(json.RawMessage(in), mask)); got != want {
			t.Errorf("%s is shown as %s, want %s", in, got, want)
		}
	}
	for _, same := range []string{``, `{ "iban" : 1 }`, `{`} {
		if got := string(engine.Mask(json.RawMessage(same), nil)); got != same {
			t.Errorf("without a mask %q became %q", same, got)
		}
	}
}
