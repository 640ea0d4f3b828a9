import { createContext } from 'preact'
import type { AboutResponse } from '../contract/api.ts'

/** What is the same on every page; undefined until it has been read. */
export const About = createContext<AboutResponse | undefined>(undefined)
