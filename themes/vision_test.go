package themes

import (
	"image/color"
	"testing"

	"github.com/lucasb-eyer/go-colorful"

	"signalbox/store"
)

// sight maps linear RGB to what an eye sees; complete blindness for one kind
// of cone after Machado, Oliveira and Fernandes (2009).
type sight [3][3]float64

var (
	deuteranopia = sight{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}
	protanopia   = sight{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}
	tritanopia   = sight{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}
	ordinary     = sight{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
)

func (s sight) see(c color.Color) colorful.Color {
	rgb, _ := colorful.MakeColor(c)
	r, g, b := rgb.LinearRgb()
	at := func(row [3]float64) float64 {
		return min(max(row[0]*r+row[1]*g+row[2]*b, 0), 1)
	}
	return colorful.LinearRgb(at(s[0]), at(s[1]), at(s[2]))
}

// apart is the least CIEDE2000 distance (in go-colorful's unit, a hundredth)
// at which two colours are told apart side by side without effort.
const apart = 0.08

func TestStatesAreToldApart(t *testing.T) {
	states := []Role{StateRunning, StateWaiting, StateDone, StateAbandoned, StateException, StateFault, StateStuck}
	for name, eyes := range map[string][]sight{
		"dark": {ordinary}, "light": {ordinary}, "contrast": {ordinary},
		"deuter": {ordinary, deuteranopia, protanopia}, "tritan": {ordinary, tritanopia},
	} {
		th, _ := Builtin(name)
		for i, eye := range eyes {
			distinct(t, th, name, i, eye, states)
			distinct(t, th, name, i, eye, []Role{LaneFast, LaneSlow, StateStuck})
		}
	}
}

func distinct(t *testing.T, th *Theme, name string, nth int, eye sight, among []Role) {
	t.Helper()
	for i, a := range among {
		for _, b := range among[:i] {
			x, y := eye.see(th.Color(a)), eye.see(th.Color(b))
			if d := x.DistanceCIEDE2000(y); d < apart {
				t.Errorf("%s, eye %d: %s and %s are %.3f apart", name, nth, a, b, d)
			}
		}
	}
}

// In 16 colours the seven states cannot all have a hue, so each differs from
// the others in look or in shape; by shape always.
func TestStatesDifferInShape(t *testing.T) {
	for set, g := range map[string]*Glyphs{"unicode": Unicode(), "ascii": ASCII()} {
		shapes := map[string]Role{}
		for s := store.Queued; int(s) < store.Statuses; s++ {
			role := StatusRole(s)
			if other, taken := shapes[g.Status(s)]; taken && other != role {
				t.Errorf("%s: %q stands for %s and %s", set, g.Status(s), other, role)
			}
			shapes[g.Status(s)] = role
		}
		if _, taken := shapes[g.Delayed]; taken {
			t.Errorf("%s: delayed looks like a status", set)
		}
		if _, taken := shapes[g.Status(0)]; taken {
			t.Errorf("%s: an unknown status looks like a known one", set)
		}
	}
}
