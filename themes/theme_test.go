package themes

import "testing"

func TestBuiltinThemesAreSound(t *testing.T) {
	for _, name := range Names() {
		th, err := Load(builtin, builtinPath(name))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err := th.Check(); err != nil {
			t.Errorf("%s:\n%v", name, err)
		}
	}
}
