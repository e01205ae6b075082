package tui

import (
	"strings"
	"testing"
	"time"

	"signalbox/engine"
	"signalbox/store"
	"signalbox/tui/internal/fake"
)

func TestVerdictsCanBeTakenBack(t *testing.T) {
	c := group(t)
	c.press("v")
	c.feed()
	c.shows("Verified finance.orders/4", "u undo")
	c.press("u")
	c.feed()
	c.shows("Taken back: Verified finance.orders/4", "INV-10251")
	r, err := c.engine.Item(t.Context(), store.ID{Queue: "finance.orders", Number: 4})
	if err != nil || r.Review != (store.Review{}) {
		t.Fatalf("%+v %v", r.Review, err)
	}
	c.press("u")
	c.shows("There is nothing to take back")
	c.press("down")
	c.hides("There is nothing to take back")
}

// Undo brings the review back that was there before, not only none.
func TestUndoRestoresTheReviewBefore(t *testing.T) {
	c := group(t)
	c.press("A").text("grace").press("enter")
	c.feed()
	c.press("v")
	c.feed()
	c.press("u")
	r, _ := c.engine.Item(t.Context(), store.ID{Queue: "finance.orders", Number: 4})
	if r.Review.Status != store.InReview || r.Review.Reviewer != "grace" {
		t.Fatalf("%+v", r.Review)
	}
}

func TestRetryIsTakenBack(t *testing.T) {
	c := group(t)
	id := store.ID{Queue: "finance.orders", Number: 4}
	before, _ := c.engine.Item(t.Context(), id)
	c.press("r")
	c.feed()
	c.shows("Retried finance.orders/4: pending again", "u undo")
	c.press("u")
	c.feed()
	c.shows("Taken back: Retried finance.orders/4", "5 items", "INV-10251")
	after, _ := c.engine.Item(t.Context(), id)
	if after.Status != before.Status || after.Group != before.Group || after.Error == nil || len(c.engine.Undos) != 1 {
		t.Fatalf("%+v", after.Item)
	}
}

// An undo that comes after somebody else says who it was, and changes nothing.
func TestUndoOfWhatHasGoneOnIsRefused(t *testing.T) {
	c := group(t)
	id := store.ID{Queue: "finance.orders", Number: 4}
	c.press("r")
	c.engine.Edit(id, func(r *engine.Record) { r.Status = store.Claimed })
	c.engine.Tell(id, store.Change{Event: "claim", Actor: "r7"})
	c.press("u")
	c.shows("Not taken back: Retried finance.orders/4", "finance.orders/4: changed since you looked: claimed by r7 at 14:03:09")
}

func TestBulkActsAreTakenBack(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40)
	c.press("5", "r").wait(time.Second).press("y")
	c.feed()
	c.shows("Retried 5", "u undo", "9 left")
	c.press("u")
	c.feed()
	c.shows("Taken back: Retried 5", "14 left")
	if got := c.engine.Bulks; len(got) != 2 || got[1].Verb != engine.BulkUndo || got[1].Of != 1 {
		t.Fatalf("%+v", got)
	}
	c.press("5", "x").press("G", "enter").wait(time.Second)
	c.shows("Delete 5 matching items?", "Type 5 to go ahead")
	c.text("5").press("enter")
	c.feed()
	c.shows("Deleted 5", "u undo")
	c.press("u")
	c.feed()
	c.shows("Taken back: Deleted 5", "14 left")
}

func TestPauseAndSplitCanBeTakenBack(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40)
	c.press("2", "p", "u")
	c.feed()
	c.shows("Taken back: paused agents.triage")
	c.press("1", "S", "right", "enter")
	c.feed()
	c.press("u")
	want := engine.SplitRequest{Size: 25, Fast: 6, Slow: 6, Auto: true}
	if got := c.engine.Splits; len(got) != 2 || got[1] != want {
		t.Fatalf("%+v", got)
	}
}

func TestReviewIsClearedFromTheMenu(t *testing.T) {
	c := group(t)
	c.press("A", "enter")
	c.feed()
	c.press("x")
	c.shows("Clear review", "Delete")
	c.press("down", "down", "down", "down", "down", "enter")
	c.shows("Cleared the review of finance.orders/4")
	if got := c.engine.Reviews[1].Action; got != engine.Clear {
		t.Fatal(got)
	}
}

func TestDeleteAsksForTheCount(t *testing.T) {
	c := group(t)
	c.press("space", "x", "G", "enter")
	c.shows("Delete 1 marked item?", "can be brought back until something else has its reference", "Type 1 to go ahead")
	c.press("enter")
	if len(c.engine.Deletes) != 0 {
		t.Fatal("deleted without the count")
	}
	c.text("1").press("enter")
	if len(c.engine.Deletes) != 1 {
		t.Fatal("not deleted")
	}
	c.shows("Deleted finance.orders/4")
}

// What somebody else has changed since is theirs.
func TestUndoLeavesLaterChangesOfOthers(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40)
	grace := engine.WithActor(t.Context(), "grace")
	c.press("2", "p")
	for _, paused := range []bool{false, true} {
		if _, err := c.engine.PauseQueue(grace, "agents.triage", paused); err != nil {
			t.Fatal(err)
		}
	}
	c.press("u")
	c.shows("queue agents.triage: changed since")
	snap, err := c.engine.Watch(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range snap.Queues {
		if q.Name == "agents.triage" && (!q.Paused || q.PausedBy != "grace") {
			t.Fatal("the pause of another was taken back")
		}
	}
	c.press("esc", "1", "S", "right", "enter")
	if _, err := c.engine.SetPool(grace, engine.SplitRequest{Size: 25, Fast: 9, Slow: 9}); err != nil {
		t.Fatal(err)
	}
	c.press("u")
	c.shows("the split: changed since")
	if n := len(c.engine.Splits); n != 2 {
		t.Fatalf("%d splits", n)
	}
}

// A report that stays offers undo only as long as the key means its act.
func TestOlderReportNoLongerOffersUndo(t *testing.T) {
	c := group(t)
	c.press("space", "space", "v")
	c.engine.Before(func() {
		c.engine.Edit(store.ID{Queue: "finance.orders", Number: 13}, func(r *engine.Record) { r.Review.Note = "mine" })
	})
	c.press("y")
	c.feed()
	c.shows("Verified 1 of 2", "u undo")
	c.press("backspace", "r")
	c.shows("Verified 1 of 2", "Retried finance.orders/22")
	if n := strings.Count(c.picture(), "u undo"); n != 1 {
		t.Fatalf("%d offers of undo:\n%s", n, c.picture())
	}
}
