package engine

import (
	"encoding/json"

	"signalbox/store"
)

// keptRun is a stretch of a bulk job's set as it is kept: items of one queue, each by
// how far its number is from that of the one before, and with its revision. What is
// kept by versions before this one is a Target an item.
type keptRun struct {
	Queue     string   `json:"queue,omitempty"`
	Steps     []int64  `json:"steps,omitempty"`
	Revisions []uint64 `json:"revisions,omitempty"`
	Target
}

// MarshalJSON leaves the Target out.
func (k keptRun) MarshalJSON() ([]byte, error) {
	return store.Encode(struct {
		Queue     string   `json:"queue"`
		Steps     []int64  `json:"steps"`
		Revisions []uint64 `json:"revisions"`
	}{k.Queue, k.Steps, k.Revisions})
}

// share encodes a part of the set.
func (f *frozen) share(from, to int) ([]byte, error) {
	var runs []keptRun
	for n := from; n < to; n++ {
		t, last := f.target(n), len(runs)-1
		before := int64(0)
		if last >= 0 && runs[last].Queue == t.Item.Queue {
			before = int64(f.numbers[n-1])
		} else {
			runs, last = append(runs, keptRun{Queue: t.Item.Queue}), last+1
		}
		run := &runs[last]
		run.Steps, run.Revisions = append(run.Steps, int64(t.Item.Number)-before), append(run.Revisions, t.Revision)
	}
	return store.Encode(runs)
}

// shareOf gives a share of a bulk job's set.
func shareOf(r store.Reader, job string, share uint64) (targets []Target, err error) {
	data, err := r.Chunk(job, setName, share)
	if err != nil {
		return nil, err
	}
	var runs []keptRun
	if err := json.Unmarshal(data, &runs); err != nil {
		return nil, err
	}
	for _, run := range runs {
		if !run.Item.IsZero() {
			targets = append(targets, run.Target)
		}
		number := int64(0)
		for n := range min(len(run.Steps), len(run.Revisions)) {
			number += run.Steps[n]
			targets = append(targets, Target{store.ID{Queue: run.Queue, Number: uint64(number)}, run.Revisions[n]})
		}
	}
	return targets, nil
}
