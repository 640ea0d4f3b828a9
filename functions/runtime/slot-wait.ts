/** How long an execution waits for a slot until the worker looks for one, in case that nothing woke it. */
export const slotWaitMs = 600_000
