import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A part of a processor for the processes that it holds, kept by the kernel as Lambda's is (a CFS quota). */
export interface CpuShare {
  hold(pid: number): void
  /** Only when the processes have ended. */
  remove(): void
}

/** With 1,769 MB a Lambda function has one whole processor (AWS Lambda's guide, «Configure memory»). */
const megabytesOfOneProcessor = 1_769
const periodMicroseconds = 20_000

/** What Lambda gives at a memory size, or undefined where this user may not make a cpu cgroup. */
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
      hold: (pid) => writeFileSync(join(folder, 'cgroup.procs'), String(pid)),
      remove: () => rmdirSync(folder),
    }
  } catch {
    return undefined
  }
}
