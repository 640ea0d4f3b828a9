import { callerDrills } from './callers.ts'
import { dataDrills } from './data.ts'
import { deploymentDrills } from './deployments.ts'
import { erasureDrills } from './erasure.ts'
import { functionDrills } from './functions.ts'
import { scheduleDrills } from './schedules.ts'
import { storageDrills } from './storage.ts'
import { upgradeDrills } from './upgrades.ts'

/** The drills on the emulated account, in their order. */
export const accountDrills = [
  ...callerDrills,
  ...scheduleDrills,
  ...functionDrills,
  ...dataDrills,
  ...storageDrills,
  ...erasureDrills,
  ...deploymentDrills,
  ...upgradeDrills,
]
