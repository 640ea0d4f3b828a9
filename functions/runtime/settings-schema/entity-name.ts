/** Entity names are part of paths and keys. */
export const entityNamePattern = /^[A-Za-z0-9_-]{1,64}$/
