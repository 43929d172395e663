import { Option } from 'commander';

const DATA_DIR = './data';

export function dataDirOption(): Option {
  return new Option('--data-dir <directory>', 'data directory')
    .env('DATA_DIR')
    .default(DATA_DIR)
    .argParser((value) => (value === '' ? DATA_DIR : value));
}

export function jsonOption(): Option {
  return new Option('--json', 'print JSON instead of text');
}
