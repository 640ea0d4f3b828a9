import type { PlotData } from '../../../../console/client/model/plot-data.ts'

export const plot = (change: Partial<PlotData> = {}): PlotData => ({
  title: 'Documents',
  shape: 'lines',
  unit: 'count',
  axis: 'around-values',
  times: [0, 60],
  series: [{ label: 'Documents', color: '--accent', values: [95, 97] }],
  marks: [],
  reference: undefined,
  ...change,
})
export const series = (...values: readonly (number | null)[][]) =>
  values.map((one, index) => ({ label: `S${index}`, color: '--accent', values: one }) as const)
