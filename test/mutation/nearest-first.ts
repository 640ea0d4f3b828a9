import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** A mutant is killed by its first failing test, so the tests whose path resembles that of the mutated file run first. */
export class NearestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { related = [], root } = this.ctx.config
    const wordsOf = (path: string) => relative(root, path).split(/[/.-]/)
    const mutated = new Set(related.flatMap(wordsOf))
    const shared = ({ moduleId }: TestSpecification) =>
      wordsOf(moduleId).filter((word) => mutated.has(word)).length
    return files.toSorted((one, other) => shared(other) - shared(one))
  }
}
