package coop_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"signalbox/engine/coop"
)

// A queue that sends messages, two at a time, each tried three times.
func Example() {
	send := func(_ context.Context, t coop.Task[string]) (int, error) {
		return len(t.Value), nil // what was sent
	}
	q, err := coop.New(send, coop.Options{Concurrency: 2, Retries: 2, Timeout: 10 * time.Second})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	defer q.Destroy(ctx)
	sent, err := q.Enqueue(ctx, "hello")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(sent.Wait(ctx))
	// Output: 5 <nil>
}

// With a store, what was outstanding when a program ended is restored by the
// next one, under the same ids.
func ExampleQueue_Restore() {
	ctx := context.Background()
	store := &coop.Memory{} // one that outlives the process is in the package bolt
	interrupted := func(ctx context.Context, _ coop.Task[string]) (string, error) {
		<-ctx.Done()
		return "", ctx.Err()
	}
	first, _ := coop.New(interrupted, coop.Options{Store: store})
	f, _ := first.Enqueue(ctx, "invoice 7", coop.ID("mail-7"))
	_ = first.Destroy(ctx)
	_, err := f.Wait(ctx)
	fmt.Println(errors.Is(err, coop.ErrDestroyed))

	second, _ := coop.New(func(_ context.Context, t coop.Task[string]) (string, error) {
		return "sent " + t.Value, nil
	}, coop.Options{Store: store})
	defer second.Destroy(ctx)
	restored, err := second.Restore(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range restored {
		text, err := f.Wait(ctx)
		fmt.Println(f.ID(), text, err)
	}
	// Output:
	// true
	// mail-7 sent invoice 7 <nil>
}

// Each entry may have retries, a time and a context of its own.
func ExampleQueue_Enqueue() {
	q, _ := coop.New(func(ctx context.Context, t coop.Task[time.Duration]) (string, error) {
		select {
		case <-time.After(t.Value):
			return "done", nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}, coop.Options{Concurrency: 2})
	ctx := context.Background()
	defer q.Destroy(ctx)

	late, _ := q.Enqueue(ctx, time.Hour, coop.Timeout(time.Millisecond))
	_, err := late.Wait(ctx)
	fmt.Println(errors.Is(err, coop.ErrTimeout))

	mine, cancel := context.WithCancel(ctx)
	unwanted, _ := q.Enqueue(mine, time.Hour)
	cancel()
	_, err = unwanted.Wait(ctx)
	fmt.Println(errors.Is(err, coop.ErrAborted))
	// Output:
	// true
	// true
}
