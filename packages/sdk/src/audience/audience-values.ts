// The entry of `/sdk-audience-values.js`, which `/sdk-audience.js` loads for conditions that do not just compare texts.
export { compare, isHashed } from '@switchyard/core/evaluation/audience-values';
