#!/usr/bin/env python3
"""Audits a copy of the bucket without Longshore, in memory: python3 verify.py FOLDER [ENTITY…]

FOLDER is what `aws s3 sync s3://BUCKET FOLDER` copied, or that of `npm start -- --data FOLDER`. Prints a line for each
fault, and exits with 1 if there is one. docs/objects.md describes the objects.
"""
import json
import re
import sys
import zlib
from collections import namedtuple
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path

Document = namedtuple('Document', 'text id content bytes line')  # The text of its id, and hashes.
Number = type('Number', (str,), {})  # As the platform wrote it.
decoder = json.JSONDecoder(parse_float=Number, parse_int=Number, parse_constant={}.__getitem__)
sys.setrecursionlimit(20_000)

def canonical(value):
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode('utf-16-be', 'surrogatepass'))
        return '{' + ','.join([f'{canonical(name)}:{canonical(value[name])}' for name in names]) + '}'
    if isinstance(value, list):
        return '[' + ','.join([canonical(item) for item in value]) + ']'
    text = str(value) if isinstance(value, Number) else json.dumps(value, ensure_ascii=False)
    return re.sub('[\ud800-\udfff]', lambda half: f'\\u{ord(half[0]):04x}', text)

def document(line, id_field, ignored):
    value = decoder.decode(line)
    id = value.get(id_field)
    text = 'null' if id is None or isinstance(id, (dict, list)) else canonical(id)
    content = canonical({name: value[name] for name in value if name not in ignored})
    hashes = [sha256(of.encode()).digest() for of in (line if text == 'null' else text, content, line)]
    return Document(text, hashes[0][:16], hashes[1][:16], hashes[2], line)

def record(line, *how):
    """The op of a record, and its document before and after it."""
    (id, at), sides = decoder.raw_decode(line, line.index('"id":') + 5), {}
    while line[at] == ',':
        start = line.index(':', at) + 1
        name, at = line[at + 2 : start - 2], decoder.raw_decode(line, start)[1]
        sides[name] = document(line[start:at], *how)
    shape, ids = json.loads(line)['op'] + ''.join(sides), {(one.text, one.id) for one in sides.values()}
    if shape not in ('cafter', 'ubeforeafter', 'dbefore', 'rafter') or [canonical(id)] != [text for text, _ in ids]:
        raise ValueError(f'a record of {canonical(id)} does not have what its op needs: {shape}')
    return shape[0], sides.get('before'), sides.get('after')

def total(hashes):
    return f'{sum(int.from_bytes(one, "big") for one in hashes) % 2**128:032x}'

def proof_of(part, total, limits):
    """Why a range counts as complete, from its requests and its total."""
    ids, end, page, percent = part['uniqueIds'], part['end'], part['largestPage'], limits['totalTolerancePercent']
    met = total == ids and end == 'confirmed'
    slack, before = (percent * ids, part['publishedIds']) if (end, total) == ('refused', None) else (0, None)
    again = any(abs(one['uniqueIds'] - ids) * 100 <= slack and not one['suspect'] for one in part['earlier'])
    near = total not in (None, ids) and abs(total - ids) * 100 <= percent * total and (again or total - ids < page)
    if not met and (part['suspect'] or not (end == 'confirmed' or again or before is not None and before - ids < page)):
        return None
    capped = (end, total) == ('refused', ids)
    return 'exact' if met else 'no-total' if total is None else 'within-tolerance' if near or capped else None

class Audit:
    """Of one entity. `bucket` has the file of each object by its key."""
    def __init__(self, bucket, entity):
        self.bucket, self.entity, self.faults, self.known, self.schemas = bucket, entity, [], {}, {}
        self.keys = [key for key in sorted(bucket) if re.match(rf'\w+/{re.escape(entity)}(\.changes)?/', key)]
        self.snapshots, self.last = {}, (None, None, None)  # A set, its state and withheld documents.
        for step, folder in (self.pages, 'snapshots'), (self.chain, 'changes'), (self.table, 'iceberg'):
            self.attempt(f'{folder}/{entity}/latest.json', step)

    def attempt(self, key, step, *args):
        """What an object lacks, or has in another form, is its fault."""
        try:
            return step(key, *args)
        except (AttributeError, LookupError, OSError, RuntimeError, TypeError, ValueError, zlib.error) as error:
            self.fault(key, f'cannot be read: {type(error).__name__} {error}', True)

    def fault(self, key, text, is_fault):
        self.faults.extend([f'{key}: {text}'] if is_fault else [])
    def same(self, key, recorded, **found):
        for name, value in found.items():
            self.fault(key, f'{name} is {recorded.get(name)}, found {value}', recorded.get(name) != value)
    def matches(self, pattern):
        return [key for key in self.keys if re.fullmatch(pattern, key)]
    def json(self, key):
        if key not in self.known:
            self.known[key] = self.attempt(key, lambda key: json.loads(self.bucket[key].read_bytes())) or {}
            self.same(key, {'version': 1, **self.known[key]}, version=1)
        return self.known[key]
    def hash_of(self, key, recorded):
        return sha256(self.bucket[key].read_bytes()).hexdigest() if recorded and key in self.bucket else recorded
    def object(self, key, entry):
        data = self.bucket[key].read_bytes()
        self.same(key, entry, bytes=len(data), sha256=sha256(data).hexdigest())
        return data
    def lines(self, entry, count, parse=str, *how):
        return self.attempt(entry['key'], self.parsed, entry, count, parse, how) or []
    def parsed(self, key, entry, count, parse, how):
        stream = zlib.decompressobj(31)
        text = (stream.decompress(self.object(key, entry)) + stream.flush()).decode()
        self.fault(key, 'is not one whole gzip stream', not stream.eof or stream.unused_data)
        lines = text.removesuffix('\n').split('\n') if text else []
        self.same(key, entry, **{count: len(lines)})
        return [parse(line, *how) for line in lines]
    def listed(self, key, entries):
        text = self.bucket[key].read_text() if key in self.bucket else 's3://'
        expected = ''.join(f's3://{text[5:].split("/")[0]}/{one["key"]}\n' for one in entries)
        self.fault(key, f'lists {text.split()}, found {[one["key"] for one in entries]}', text != expected)

    def pages(self, key):
        for one in self.matches(r'snapshots/[^/]+/[^/]+/(manifest|refused).json'):
            self.snapshots[one] = self.attempt(one, self.snapshot)
        if key in self.bucket or any(one.endswith('/manifest.json') for one in self.snapshots):
            latest, name = self.json(key), f'snapshots/{self.entity}/{self.json(key)["runId"]}/manifest.json'
            self.same(key, latest, manifest=name, documents=self.json(name)['documents'])
            self.same(name, latest, sha256=self.hash_of(name, latest.get('sha256')))
            self.listed(f'tables/{self.entity}/pages.txt', self.json(name)['pages'])

    def snapshot(self, key):
        """Counts the pages of a manifest. Returns its documents by id."""
        manifest, folder, pages = self.json(key), key.rsplit('/', 1)[0], {}
        for page in manifest['pages']:
            pages[page['key']] = self.lines(page, 'documents', document, manifest['idField'], ())
        every = [one for page in pages.values() for one in page]
        documents = {one.id: one for one in every}
        found = {'entity': self.entity, 'runId': folder.rsplit('/', 1)[1], 'uniqueIds': len(documents),
                 'withoutId': sum(one.text == 'null' for one in every)}
        self.same(key, {'withoutId': 0, **manifest}, documents=len(every), **found)
        if 'evidence' in manifest:
            self.attempt(manifest['evidence']['key'], self.evidence, key, manifest, pages, found, total(documents))
        checks = [self.attempt(one, self.counted, pages) or [] for one in self.matches(f'{folder}/check-.*bin')]
        self.fault(folder, 'has pages in no check-*', 'evidence' in manifest and {*pages}.difference(*checks))
        for field in self.json(f'{folder}/schema.json')['fields'] if f'{folder}/schema.json' in self.bucket else []:
            self.same(f'{folder}/schema.json', field, present=field['null'] + sum(field['types'].values()))
        return documents

    def counted(self, key, pages):
        head, _, body = self.bucket[key].read_bytes().partition(b'\n')
        for page in [counted['page'] for counted in json.loads(head)['pages']]:
            hashes = b''.join([one.id + one.bytes[:8] for one in pages.get(page['key'], ())])
            counted, body = body[: 24 * page['documents']], body[24 * page['documents'] :]
            self.fault(key, f'{page["key"]} has other documents', page['key'] in pages and counted != hashes)
        return [counted['page']['key'] for counted in json.loads(head)['pages']]

    def evidence(self, name, key, manifest, pages, found, id_sum):
        """Decides again whether a snapshot is complete, and why."""
        evidence = json.loads(self.object(name, manifest['evidence']))
        text = json.dumps(manifest['pages'], separators=(',', ':'))
        self.same(name, evidence, **found, idSum=id_sum, pagesSha256=sha256(text.encode()).hexdigest())
        limits, coverage, proofs = evidence['limits'], evidence['coverage'], set()
        places = {part['where']: (at, part) for at, part in enumerate(manifest.get('partitions', [{'where': None}]))}
        for part in evidence['ranges']:
            place, listed = places.pop(part['where'])
            ids = [one.id for page in manifest['pages'] if page.get('range', 0) == place for one in pages[page['key']]]
            text = part['total'] or listed.get('reportedTotal')
            reported = None if text is None or limits['totals'] == 'ignore' else int(float(str(text).split(',')[0]))
            found = {'suspect': part['suspect'] or bool(part['unknown']), 'proof': proof_of(part, reported, limits)}
            if not coverage or len(ids) >= part['documents']:  # A page that repeats other ranges is left out.
                found.update(documents=len(ids), uniqueIds=len({*ids}))
            self.same(name, part, **found)
            proofs.add(found['proof'])
        proof = next(iter(proofs))
        if coverage:
            covered, shared, reported = coverage['exact'], sum(coverage['onBoundaries']), coverage['whole'][-1]
            adds_up = {*coverage['whole']} == {sum(coverage['ranges']) - shared} and coverage['overlap'] <= shared
            proof = 'exact' if covered and proofs == {'exact'} else 'within-tolerance'
            proven = 'proven' if proof == 'exact' and not coverage['reopened'] else 'repeatable'
            self.same(name, coverage, exact=covered and (adds_up or not coverage['ranges']))  # Of a run of 1.0.0.
            self.same(key, manifest['partitionedBy'], absences=proven if covered else 'unknown')
        self.same(key, manifest, proof=None if places else proof, reportedTotal=reported,
                  openedAt=min(part['openedAt'] for part in evidence['ranges']))

    def chain(self, key):
        for refused in [self.json(one) for one in self.matches(r'changes/[^/]+/[^/]+/refused.json')]:
            [self.lines(part, 'records') for part in refused.get('reviewedParts', [])]
        lists, parts = f'tables/{self.entity}.changes/parts.txt', []
        if key in self.bucket or lists in self.bucket:
            latest = self.json(key)
            for entry in latest['sets']:
                parts += self.attempt(entry['manifest'], self.set, key, entry, entry == latest['sets'][-1]) or []
            self.same(key, latest, tip=[latest['tip'], *[entry['runId'] for entry in latest['sets']]][-1])
            self.listed(lists, parts)

    def set(self, key, owner, entry, is_tip):
        """Applies a set to the state before it, and compares what follows with its manifest, snapshot and parts."""
        (base, before, absent), one, ops, changed = self.last, {'held': 0, **self.json(key)}, [], {}
        self.last, kind, how = (None, None, None), one['kind'], (one['idField'], tuple(one['ignore']))
        name, old_key = [f'changes/{self.entity}/{run}/manifest.json' for run in (one['runId'], one['base'])]
        snapshot = self.snapshots.get(one['snapshot'])
        snapshot = snapshot and {id: document(found.line, *how) for id, found in snapshot.items()}
        self.same(owner, entry, manifest=name, base=base['runId'] if base and kind != 'reset' else one['base'])
        self.same(key, one, snapshotSha256=self.hash_of(one['snapshot'], one.get('snapshotSha256')), entity=self.entity,
                  baseSha256=self.hash_of(old_key, one.get('baseSha256')), **{n: entry[n] for n in entry if n in one})
        for part in one['parts']:
            self.fault(part['key'], f'its name does not have {part["sha256"]}', part['sha256'][:32] not in part['key'])
            for op, old, new in self.lines(part, 'records', record, *how):
                id, known = (old or new).id, old if before is None or op == 'r' else before.get((old or new).id)
                self.fault(part['key'], f'{op} of {(old or new).text} does not fit what readers have',
                           id in changed or (known and known.content) != (old and old.content))
                changed[id] = old, new
                ops.append(op)
        after = {id: new for id, (_, new) in changed.items() if new}
        kept = {id: old for id, old in (before or {}).items() if id not in changed}
        state = None if before is None or kind == 'reset' else {**kept, **after}
        is_whole = is_tip or kind != 'increment' and all(part['key'] in self.bucket for part in one['withheldParts'])
        withheld = {found.id: (found, part) for part in one['withheldParts']
                    for found in self.lines(part, 'records', document, *how)} if is_whole else absent
        if kind == 'changes':
            self.same(key, one, created=ops.count('c'), updated=ops.count('u'), deleted=ops.count('d'),
                      stateDocuments=one['baseDocuments'] + one['created'] - one['deleted'])
            if snapshot is not None and before is not None:
                names = ['withheld' if id not in snapshot else 'unchanged' if old.bytes == snapshot[id].bytes else
                         'rewritten' if old.content == snapshot[id].content else 'held' for id, old in kept.items()]
                self.same(key, one, **{n: names.count(n) for n in ('unchanged', 'rewritten', 'withheld', 'held')})
            if snapshot is not None and absent is not None and is_whole:
                counted = {id: part['countedAbsences'] for id, (_, part) in absent.items()}
                self.absences(key, one, counted, [old for old, new in changed.values() if not new], withheld)
        if kind == 'increment':
            found = {'recordsIdSum': total(after), 'recordsContentSum': total(x.content for x in after.values())}
            self.same(key, {**found, **one}, **found, records=ops.count('r'))
            to, run = [datetime.strptime(re.sub(r'\D', '', one[n])[:14], '%Y%m%d%H%M%S') for n in ('to', 'runId')]
            self.fault(key, f'to is {to}, but the run began {run}', to > run + timedelta(hours=6))
        if is_whole and snapshot is not None:
            loaded = {**snapshot, **{id: found for id, (found, _) in withheld.items()}}
            for part in one.get('incrementParts', []):
                loaded.update((new.id, new) for _, _, new in self.lines(part, 'records', record, *how))
            state = loaded if state is None else state
            ids = [id for id in {*loaded, *state} if loaded.get(id, ())[2:3] != state.get(id, ())[2:3]]
            self.fault(key, f'leads to {len(ids)} other documents than its snapshot and parts', ids)
            state = loaded
        if kind != 'increment' and state is not None:
            found = {'stateContentSum': total(x.content for x in state.values())}
            self.same(key, {**found, **one}, **found, stateDocuments=len(state), stateIdSum=total(state))
        if one.get('delivered', {}).get('key') in self.bucket:
            self.object(one['delivered']['key'], one['delivered'])
        self.last = one, state, withheld
        return one['parts']

    def absences(self, key, one, counted, deleted, withheld):
        """What a snapshot lacks is deleted only if it proves that, or if the previous one lacked it, too."""
        ranges = self.json(one['snapshot']).get('partitionedBy', {})
        means = ranges.get('absences', 'proven' if self.json(one['snapshot'])['proof'] == 'exact' else 'repeatable')
        for found in deleted:
            date = str(json.loads(found.line).get(ranges['by'])) if ranges else '2000-01-01'
            proven = counted.get(found.id) == 1 or means == 'proven' and re.match(r'\d{4}-\d\d-\d\d(T|$)', date)
            self.fault(key, f'deletes {found.text} without proof', not proven or means == 'unknown')
        for found, part in withheld.values():
            if found.id not in self.snapshots[one['snapshot']] and not part.get('delivered'):
                self.same(part['key'], part, countedAbsences=counted.get(found.id, 0) if means == 'unknown' else 1)

    def table(self, key):
        table = self.json(key) if key in self.bucket else {'metadata': None}
        metadata = self.json(table['metadata']) if table['metadata'] else {'snapshots': []}
        for one in metadata['snapshots']:
            summary, names, sizes = one['summary'], [one['manifest-list'].split('/', 3)[3]], []
            run, manifest = summary['longshore.run-id'], self.known.get(summary['longshore.manifest'].split('/', 3)[3])
            for name in names:
                names += self.attempt(name, self.file, run, sizes) or []
            found = {'total-data-files': str(len(sizes)), 'total-files-size': str(sum(sizes))}
            if manifest:
                self.same(table['metadata'], summary, **{'longshore.run-id': manifest['runId'], **found,
                          'longshore.proof': manifest['proof'], 'total-records': str(manifest['uniqueIds'])})
            if one['snapshot-id'] == metadata['current-snapshot-id']:
                self.same(key, table, runId=run, rows=int(summary['total-records']))

    def file(self, key, run, sizes):
        data = self.bucket[key].read_bytes()
        if key.endswith('.parquet'):
            sizes.append(len(data))
            return self.fault(key, f'ends with {data[-4:]}, not with PAR1', data[-4:] != b'PAR1')
        head, *blocks, _ = data.split(data[-16:])
        schema = re.search(rb'avro.schema(.*)avro.codec', head, re.DOTALL)[1]
        self.fault(key, 'has another schema', self.schemas.setdefault(key[-6:], schema) != schema)
        records = [zlib.decompress(re.sub(rb'^([\x80-\xff]*[\0-\x7f]){2}', b'', block), -15) for block in blocks]
        named = re.findall(r's3://[^/]+/(iceberg/[!-~]+?\.(?:avro|parquet))', b''.join(records).decode('latin1'))
        return [name for name in named if name.endswith('avro') or f'/{run}/' in name]

def bucket_of(folder):
    """The files of a copy, or of what `npm start` keeps, by their keys."""
    files = {path.relative_to(folder).as_posix(): path for path in Path(folder).rglob('*') if path.is_file()}
    if 's3/versions.ndjson' not in files:
        return files
    changes = map(json.loads, files['s3/versions.ndjson'].read_text().splitlines())
    versions = {one.get('removed') or one['written']['versionId']: one.get('written') for one in changes}
    last = {one['key']: one for one in versions.values() if one}
    return {key: files[f's3/contents/{one["versionId"]}'] for key, one in last.items() if one['kind'] == 'object'}

def main(folder='', *entities):
    bucket = bucket_of(folder) if folder and Path(folder).is_dir() else {}
    stored = sorted({key.split('/')[1] for key in bucket if re.match('(snapshots|changes)/', key)})
    if not stored or not {*entities} <= {*stored}:
        print(__doc__, file=sys.stderr)
        return 2
    faults = [fault for entity in entities or stored for fault in Audit(bucket, entity).faults]
    print('\n'.join(faults) or f'No fault in {len(bucket)} objects of {", ".join(entities or stored)}.')
    return 1 if faults else 0
if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
