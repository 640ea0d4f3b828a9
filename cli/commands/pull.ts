import { existsSync } from 'node:fs'
import { updatePulled } from '../../operator/changes/update-pulled.ts'
import { findDeployment, longshoreCommand } from '../../operator/deployment/deployment.ts'
import { downloadSnapshot, formats } from '../../operator/snapshot/download.ts'
import { withLock } from '../../operator/snapshot/locked-file.ts'
import { shellWord } from '../../operator/text/shell-word.ts'
import { defineCommand } from '../shell/command.ts'
import { outputFile } from '../snapshot/output-file.ts'
import { downloadResult, pullMode, updateResult } from '../snapshot/pull-results.ts'

export const pullCommand = defineCommand({
  name: 'pull',
  summary: "Download an entity's snapshot and verify every page",
  argument: '<ENTITY>',
  options: {
    '-o, --output <FILE|DIR>': 'Write to this file or directory (default: ENTITY.ndjson or ENTITY.csv)',
    '--format <FORMAT>': { summary: 'File format', choices: formats, default: 'ndjson' },
    '--run <RUN>': 'Download the snapshot of this run',
    '--update': 'Apply change sets to a file that was pulled before',
    '-f, --force': 'Replace an existing file',
  },
  description: [
    "Compares every page's size, SHA-256 and document count with the manifest. The file is replaced only when it is " +
      'complete.',
    'ndjson: one document per line, with the bytes that the platform sent. FILE.longshore.json records the run for ' +
      '--update.',
    'csv: RFC 4180 in UTF-8, with a column for each field, in the order of first appearance. Numbers keep their ' +
      'digits, objects and arrays are JSON, null and a missing field are empty, an empty string is "".',
    "spreadsheet: csv without formulas. Text is in quotes, and texts and names that begin with = + - or @ have a ' " +
      'before them.',
    "--update applies the change sets since the file's run, and downloads the snapshot if there is no file, or if " +
      'ids, contents or count differ from the last full set. The exit code is 1 if the change sets do not reach the ' +
      'published snapshot. With --json, `documents` is `documentsBefore` + `created` - `deleted` + `withheld` (missing ' +
      'from the snapshot without proof of deletion) + `deliveredNew` (new among the `delivered`).',
  ],
  examples: {
    'pull CL': 'Download the snapshot of CL to CL.ndjson',
    'pull CL --update': 'Bring CL.ndjson up to date',
    'pull CL --format csv -o exports/': 'Download the snapshot as CSV to a directory',
    'pull CL --format spreadsheet': 'Download CL.csv for a spreadsheet, without formulas',
    'pull CL --run 20261121T120000000Z-0123456789ab': 'Download an older snapshot',
  },
  async run({ entity, values, target, terminal, signal }) {
    const { format, run, update, force } = values
    const file = outputFile(values.output, `${entity}.${format === 'ndjson' ? 'ndjson' : 'csv'}`)
    const flags = [
      ...(values.output === undefined ? [] : ['-o', shellWord(values.output)]),
      ...(format === 'ndjson' ? [] : ['--format', format]),
      ...(run === undefined ? [] : ['--run', run]),
    ]
    const command = (flag: string) => longshoreCommand(target, ['pull', entity, ...flags, flag].join(' '))
    const found = { file, exists: existsSync(file) }
    const mode = pullMode({ format, run, update, force }, found, command)
    const deployment = await findDeployment(target)
    const operation = { deployment, target, reporter: terminal, signal }
    const fix = 'wait until it has ended, or write to another file (-o FILE)'
    return withLock(file, fix, async () => {
      if (mode === 'update') {
        const updated = await updatePulled({ entity, file }, operation)
        return updateResult({ entity, file }, updated, (args) => longshoreCommand(target, args))
      }
      const downloaded = await downloadSnapshot({ entity, file, format, run }, operation)
      return downloadResult(downloaded, deployment.now())
    })
  },
})
