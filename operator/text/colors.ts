import { styleText } from 'node:util'

// styleText leaves out colors if the stream or NO_COLOR asks for it.
export const bold = (text: string) => styleText('bold', text)
export const dim = (text: string) => styleText('dim', text)
export const green = (text: string) => styleText('green', text)
export const red = (text: string) => styleText('red', text)
export const yellow = (text: string) => styleText('yellow', text)
