/** Attempts of a scroll, or of the scroll of one range. */
export const maxAttempts = 3
