package act

import "signalbox/engine"

// unmask puts the original's values back where an edit left the veil.
func unmask(edited, original any) any {
	switch e := edited.(type) {
	case string:
		if e == engine.Veil {
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
