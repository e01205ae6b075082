package drain_test

import (
	"context"
	"encoding/json"
	"fmt"

	"signalbox/engine"
	"signalbox/engine/drain"
	"signalbox/store"
	"signalbox/store/memory"
)

// A program works one of its queues with a Go function.
func ExampleStart() {
	ctx := context.Background()
	e, err := engine.Open(ctx, memory.New(), engine.Options{})
	if err != nil {
		panic(err)
	}
	q := engine.DefaultQueue("greetings", store.Jobs)
	q.Consumer.Kind = engine.Handler
	if _, err := e.AddQueue(ctx, q); err != nil {
		panic(err)
	}
	greeted := make(chan string)
	drains := drain.Start(ctx, e, drain.Options{Handlers: map[string]drain.Handler{
		"greetings": func(_ context.Context, r engine.Record) (json.RawMessage, error) {
			var who string
			if err := json.Unmarshal(r.Payload, &who); err != nil {
				return nil, &drain.Business{Reason: "a greeting is for somebody"}
			}
			greeted <- who
			return nil, nil
		},
	}})
	if _, err := e.Add(ctx, engine.AddRequest{Queue: "greetings", Items: []engine.NewItem{{Payload: json.RawMessage(`"world"`)}}}); err != nil {
		panic(err)
	}
	fmt.Println("hello", <-greeted)
	left := drains.Stop(ctx)
	fmt.Println("given back:", left.GivenBack)
	if err := e.Close(); err != nil {
		panic(err)
	}
	// Output:
	// hello world
	// given back: 0
}
