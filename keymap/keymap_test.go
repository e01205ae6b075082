package keymap

import "testing"

func TestPresetsLoad(t *testing.T) {
	for _, name := range Presets() {
		if _, err := Load(name, nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
