/** What a document is known by: the JSON of its id in one spelling, or its bytes if it has no id. Both are UTF-8. */
export type Identity = string | Uint8Array
