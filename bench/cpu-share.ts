import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Limits processes to a share of a processor with a CFS quota of the kernel, as Lambda does. */
export interface CpuShare extends Disposable {
  add(pid: number): void
}

/** With 1,769 MB a Lambda function has one vCPU (AWS Lambda developer guide, "Configure Lambda function memory"). */
const megabytesOfOneProcessor = 1_769
const periodMicroseconds = 20_000

/** The share of a memory size on Lambda. Undefined if this user cannot create a cpu cgroup. */
export function cpuShareOf(memoryMegabytes: number): CpuShare | undefined {
  const quota = Math.round((memoryMegabytes / megabytesOfOneProcessor) * periodMicroseconds)
  const name = `longshore-bench-${process.pid}-${memoryMegabytes}`
  try {
    const version1 = existsSync('/sys/fs/cgroup/cpu/cgroup.procs')
    const folder = join(version1 ? '/sys/fs/cgroup/cpu' : '/sys/fs/cgroup', name)
    mkdirSync(folder)
    if (version1) {
      writeFileSync(join(folder, 'cpu.cfs_period_us'), String(periodMicroseconds))
      writeFileSync(join(folder, 'cpu.cfs_quota_us'), String(quota))
    } else writeFileSync(join(folder, 'cpu.max'), `${quota} ${periodMicroseconds}`)
    return {
      add: (pid) => writeFileSync(join(folder, 'cgroup.procs'), String(pid)),
      // After the processes have ended.
      [Symbol.dispose]: () => rmdirSync(folder),
    }
  } catch {
    return undefined
  }
}
