import { callDrills } from './calls.ts'
import { consumerDrills } from './consumers.ts'
import { credentialsDrills } from './credentials.ts'
import { incrementDrills } from './increments.ts'
import { lossDrills } from './losses.ts'
import { machineDrills } from './machine.ts'
import { publicationDrills } from './publications.ts'
import { readingDrills } from './reading.ts'
import { runDrills } from './runs.ts'
import { tableDrills } from './tables.ts'

/** The drills on the bundle of `npm start`, in their order. */
export const localDrills = [
  ...machineDrills,
  ...publicationDrills,
  ...runDrills,
  ...incrementDrills,
  ...tableDrills,
  ...lossDrills,
  ...readingDrills,
  ...consumerDrills,
  ...callDrills,
  ...credentialsDrills,
]
