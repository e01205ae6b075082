package lane

import "testing"

// BenchmarkALongLine is one turn of a line of 10,000: the first leaves, another comes,
// and each looks where it stands.
func BenchmarkALongLine(b *testing.B) {
	p := newPool(Auto(Floor))
	for _, l := range []Lane{Fast, Slow} {
		for {
			if _, err := p.TryTake(Holder{Lane: l}); err != nil {
				break
			}
		}
	}
	for range 10_000 {
		p.enter(Holder{Lane: Slow})
	}
	line := &p.lane(Slow).line
	for b.Loop() {
		p.leave(line.head)
		p.enter(Holder{Lane: Slow})
		for w := line.head; w != nil; w = w.next {
			p.standing(w)
		}
	}
}
