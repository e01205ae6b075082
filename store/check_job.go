package store

// jobTally is what a job's counters must say.
type jobTally struct {
	JobCounts
	queue string
}

// tallyJob counts an item in its job, and looks for it there.
func (c *checker) tallyJob(i *Item) {
	if i.Job == "" || i.Weight == 0 {
		return
	}
	t := c.jobs[i.Job]
	if t == nil {
		t = &jobTally{queue: i.Queue}
		c.jobs[i.Job] = t
	}
	t.Add(i, 1)
	if at := i.ReadyAt(); i.Status.Waiting() && at > 0 {
		t.Delayed += int64(i.Weight)
		if t.NextAvailableAt == 0 || at < t.NextAvailableAt {
			t.NextAvailableAt = at
		}
	}
	if _, err := c.r.Job(i.Job); err == nil {
		c.finds(i, "job", Query{Queue: i.Queue, Job: i.Job, After: ID{Queue: i.Queue, Number: i.Number - 1}})
	}
}

// allJobs compares the counters of all jobs with what was counted.
func (c *checker) allJobs() {
	for j, err := range c.r.Jobs(JobQuery{}) {
		if err != nil {
			c.found("%v", err)
			continue
		}
		has, err := c.r.JobCounts(j.ID, 0)
		if err != nil {
			c.found("counters of job %s: %v", j.ID, err)
			continue
		}
		counted := jobTally{queue: j.Queue}
		if t := c.jobs[j.ID]; t != nil {
			counted = *t
		}
		c.job(&j, &has, &counted)
	}
}

func (c *checker) job(j *Job, has *JobCounts, counted *jobTally) {
	if counted.queue != j.Queue {
		c.found("job %s is of queue %s and has items in %s", j.ID, j.Queue, counted.queue)
	}
	// Of the delayed items those that became ready are counted apart, as for queues.
	if has.Delayed > counted.Delayed || has.Delayed > 0 && has.NextAvailableAt < counted.NextAvailableAt {
		c.found("job %s: its counter of delayed items says %d from %s, there are %d from %s", j.ID, has.Delayed, has.NextAvailableAt, counted.Delayed, counted.NextAvailableAt)
	}
	h, n := *has, counted.JobCounts
	h.Delayed, h.NextAvailableAt, n.Delayed, n.NextAvailableAt = 0, 0, 0, 0
	if h != n {
		c.found("job %s: its counters say %+v, its items %+v", j.ID, h, n)
	}
}
