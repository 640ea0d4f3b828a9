/** Entity names are part of paths, keys and command lines, in which `-x` is an option. */
export const entityNamePattern = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/
