/** How an operator starts a command for a deployment. */
export const longshoreCommandLine = 'npx --no-install longshore'

/** The same for `npm start`. */
export const localCommandLine = `${longshoreCommandLine} --local`
