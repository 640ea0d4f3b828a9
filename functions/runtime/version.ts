/** Version of Longshore, as in package.json, which is not part of a deployed function. */
export const version = '1.1.0'
