package mcpsdk

// Sessions tells of how many sessions something is remembered.
func (c *Client) Sessions() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.sessions)
}

const MostBytes = mostBytes
