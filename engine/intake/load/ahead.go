package load

import (
	"iter"

	"signalbox/engine/intake"
)

// Rows that are read ahead of those who use them.
const (
	aheadRows   = 256 // in one hand-over
	aheadParts  = 4
	aheadWeight = 1 << 20 // bytes in one hand-over, about
)

// ahead reads rows in a goroutine of its own, which ends before the iteration
// does: so it must not be left to read what may never come.
func ahead(rows iter.Seq2[intake.Row, error]) iter.Seq2[intake.Row, error] {
	return func(yield func(intake.Row, error) bool) {
		type part struct {
			rows []intake.Row
			err  error
		}
		parts, stop := make(chan part, aheadParts), make(chan struct{})
		defer func() {
			close(stop)
			for range parts {
			}
		}()
		go func() {
			defer close(parts)
			var p part
			weight := 0
			hand := func() bool {
				select {
				case parts <- p:
					p, weight = part{}, 0
					return true
				case <-stop:
					return false
				}
			}
			for row, err := range rows {
				if err != nil {
					p.err = err
					break
				}
				p.rows = append(p.rows, row)
				if weight += len(row.Raw); len(p.rows) == aheadRows || weight > aheadWeight {
					if !hand() {
						return
					}
				}
			}
			hand()
		}()
		for p := range parts {
			for _, row := range p.rows {
				if !yield(row, nil) {
					return
				}
			}
			if p.err != nil {
				yield(intake.Row{}, p.err)
				return
			}
		}
	}
}
