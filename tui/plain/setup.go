package plain

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/tui/act"
	"signalbox/tui/screen/queueform"
	"signalbox/tui/text"
	"signalbox/tui/widget/form"
)

func onSetup() []command {
	return []command{
		{"folders", "", "the folders of queues with their numbers", 0, false, func(s *session, _ []string) { s.folders() }},
		{"add-queue", "NAME [jobs]", "add a queue of transactions, or of jobs", 1, true, (*session).addQueue},
		{"set", "QUEUE SETTING VALUE", "change a setting of a queue: set invoices retries 3", 3, true, (*session).set},
		{"import", "FILE QUEUE [MODE]", "bring a file into a queue; of bad rows a mode says whether all are kept out (all-or-nothing), those before the first are stored (stop-on-first-failure), or all others (independent)", 2, true, (*session).bringIn},
		{"export", "FILE [FILTER]", "write items to a new file, .csv or .jsonl", 1, false, (*session).export},
		{"split", "FAST SLOW [POOL]", "give each lane its reserve of slots; split auto gives quarters", 1, true, (*session).split},
	}
}

// folders tells of each folder what is in it or below it.
func (s *session) folders() {
	within := map[string][]*engine.QueueState{}
	for i := range s.snap.Queues {
		q := &s.snap.Queues[i]
		for _, folder := range append([]string{q.Folder}, q.Links...) {
			if folder != "" {
				within[folder] = nil
			}
		}
	}
	for folder := range within {
		for i := range s.snap.Queues {
			if q := &s.snap.Queues[i]; engine.InFolder(&q.Queue, folder) {
				within[folder] = append(within[folder], q)
			}
		}
	}
	for _, folder := range slices.Sorted(maps.Keys(within)) {
		var waiting, running int64
		var names []string
		for _, q := range within[folder] {
			waiting += q.Counts.Waiting()
			running += q.Counts.InFlight()
			names = append(names, q.Name)
		}
		s.say("Folder %s: %s waiting, %s running, in %s.", folder, text.Count(waiting), text.Count(running), strings.Join(names, ", "))
	}
	if len(within) == 0 {
		s.say("There is no queue yet.")
	}
}

// keeper is the engine where its queues can be set up.
func (s *session) keeper() (act.Keeper, bool) {
	keeper, ok := s.Engine.(act.Keeper)
	if !ok {
		s.say("The engine at the other end takes no settings from here.")
	}
	return keeper, ok
}

func (s *session) addQueue(args []string) {
	keeper, ok := s.keeper()
	if !ok {
		return
	}
	family := store.Transactions
	if len(args) > 1 {
		if err := family.UnmarshalText([]byte(args[1])); err != nil {
			s.say("%v.", err)
			return
		}
	}
	q, err := keeper.AddQueue(s.ctx, engine.DefaultQueue(args[0], family))
	if err != nil {
		s.say("%v.", err)
		return
	}
	s.say("Added queue %s of %s; set changes its settings.", q.Name, q.Family)
}

func (s *session) set(args []string) {
	keeper, ok := s.keeper()
	at := slices.IndexFunc(s.snap.Queues, func(q engine.QueueState) bool { return q.Name == args[0] })
	switch {
	case !ok:
		return
	case at < 0:
		s.say("There is no queue %s.", args[0])
		return
	}
	q := &s.snap.Queues[at].Queue
	patch, err := queueform.Change(q, args[1], strings.Join(args[2:], " "))
	var raw json.RawMessage
	if err == nil {
		raw, err = store.Encode(patch)
	}
	if err == nil {
		_, err = keeper.SetQueue(s.ctx, q.Name, raw)
	}
	if err != nil {
		s.say("%v.", err)
		return
	}
	s.say("Changed %s of queue %s.", args[1], q.Name)
}

func (s *session) desk() act.Desk { return act.NewDesk(s.ctx, s.Engine, s.Actor, nil).In(s.Place) }

var importModes = []string{engine.AllOrNothing, engine.StopOnFirstFailure, engine.Independent}

// bringIn imports a file. A queue that is not there is no place for it.
func (s *session) bringIn(args []string) {
	at := slices.IndexFunc(s.snap.Queues, func(q engine.QueueState) bool { return q.Name == args[1] })
	if at < 0 {
		s.say("There is no queue %s; add-queue adds it.", args[1])
		return
	}
	mode := engine.AllOrNothing
	if len(args) > 2 {
		mode = strings.ToLower(args[2])
	}
	if !slices.Contains(importModes, mode) {
		s.say("Not done: a mode is %s.", strings.Join(importModes, ", "))
		return
	}
	words, err := s.desk().BringIn(act.Import{Queue: s.snap.Queues[at].Queue, File: form.Path(args[0]), Mode: mode, Zone: s.Place, Now: s.Clock()})
	if err != nil {
		s.say("%v.", err)
		return
	}
	s.say("%s.", words)
}

func (s *session) export(args []string) {
	rows, file, err := s.desk().ExportItems(args[0], engine.ListRequest{Filter: rest(args)})
	if err != nil {
		s.say("%v.", err)
		return
	}
	s.say("%s written to %s.", text.Plural(int64(rows), "row"), file)
}

func (s *session) split(args []string) {
	req := engine.SplitRequest{Size: s.snap.Slots.Pool, Auto: args[0] == "auto"}
	numbers := make([]int, 0, 3)
	for _, word := range args {
		n, err := strconv.Atoi(word)
		if err != nil && !req.Auto {
			s.say("%q is no number of slots.", word)
			return
		}
		numbers = append(numbers, n)
	}
	switch {
	case req.Auto:
	case len(numbers) < 2:
		s.say("split needs FAST SLOW [POOL], or auto.")
		return
	default:
		req.Fast, req.Slow = numbers[0], numbers[1]
		if len(numbers) > 2 {
			req.Size = numbers[2]
		}
	}
	before := s.snap.Slots
	now, err := s.Engine.SetPool(s.ctx, req)
	if err != nil {
		s.say("%v.", err)
		return
	}
	s.undo = func() error {
		_, err := s.Engine.SetPool(s.ctx, engine.SplitRequest{Size: before.Pool, Fast: before.Fast.Reserve, Slow: before.Slow.Reserve})
		return err
	}
	s.say("%s", fmt.Sprintf("The pool has %d slots: %d for fast work alone, %d for slow work alone.", now.Pool, now.Fast.Reserve, now.Slow.Reserve))
}
