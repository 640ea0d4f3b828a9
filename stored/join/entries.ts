/**
 * What the comparison remembers of a document, in 32-bit words: its id hash (4), 64 bits of the hash of its bytes (2), the
 * position of its page and of its line. The publisher stores the first six.
 */
export const entryWords = 8
export const contentWord = 4
export const pageWord = 6
export const lineWord = 7
