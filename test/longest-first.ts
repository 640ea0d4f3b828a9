import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { projects } from './projects.ts'

const order = projects.map(({ name }) => name)

/** Starts the projects in the order of their table. Within a project, vitest starts the longest file of its last run first. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const place = ({ project }: TestSpecification) => order.indexOf(project.name)
    return sorted.toSorted((one, other) => place(one) - place(other))
  }
}
