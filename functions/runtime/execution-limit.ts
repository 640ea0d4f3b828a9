/**
 * The time limit of an execution, in seconds. A run gives up within its own budgets long before, except while it waits
 * for a slot: a day for each of four runs, and the waits between them.
 */
export const executionLimitSeconds = 4 * 24 * 3600 + (5 + 15 + 60) * 60
