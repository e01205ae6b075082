package act

import (
	"encoding/json"
	"slices"
	"strings"
)

// veil stands for a masked value in what leaves the console.
const veil = "••••"

// Mask hides masked fields, by their path or by their name wherever they
// stand. Without any, the bytes stay as they are.
func Mask(raw json.RawMessage, mask []string) json.RawMessage {
	if len(mask) == 0 || len(raw) == 0 {
		return raw
	}
	var v any
	if decode(raw, &v) != nil {
		return raw
	}
	lower := make([]string, len(mask))
	for i, name := range mask {
		lower[i] = strings.ToLower(name)
	}
	if !hide(v, lower, "") {
		return raw
	}
	out, err := json.Marshal(v)
	if err != nil {
		return raw
	}
	return out
}

// hide veils what is masked below v, which stands at path, and says whether
// anything was.
func hide(v any, mask []string, path string) (hid bool) {
	switch v := v.(type) {
	case []any:
		for _, each := range v {
			hid = hide(each, mask, path) || hid
		}
	case map[string]any:
		for name, each := range v {
			at := strings.TrimPrefix(path+"."+strings.ToLower(name), ".")
			if slices.Contains(mask, at) || slices.Contains(mask, strings.ToLower(name)) {
				v[name], hid = veil, true
				continue
			}
			hid = hide(each, mask, at) || hid
		}
	}
	return hid
}

// unmask puts the original's values back where an edit left the veil.
func unmask(edited, original any) any {
	switch e := edited.(type) {
	case string:
		if e == veil {
			return original
		}
	case []any:
		o, _ := original.([]any)
		for i := range min(len(e), len(o)) {
			e[i] = unmask(e[i], o[i])
		}
	case map[string]any:
		o, _ := original.(map[string]any)
		for name := range e {
			if was, ok := o[name]; ok {
				e[name] = unmask(e[name], was)
			}
		}
	}
	return edited
}
