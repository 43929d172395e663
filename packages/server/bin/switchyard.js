#!/usr/bin/env node
import './require-node.js';

// Only after the check: an older Node.js could not even parse the rest.
import('./start.js');
