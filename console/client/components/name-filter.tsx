/** Filters a list of entities. */
export const NameFilter = ({ value, onChange }: { value: string; onChange: (value: string) => void }) => (
  <label class="filter">
    <span class="visually-hidden">Filter entities by name</span>
    <input
      type="search"
      placeholder="Filter by name"
      value={value}
      onInput={({ currentTarget }) => onChange(currentTarget.value)}
    />
  </label>
)
