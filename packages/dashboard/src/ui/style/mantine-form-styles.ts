// Styles of components that only forms use. Each module that uses one of them imports this file; it is loaded with the
// first page that needs it.
import '@mantine/core/styles/Pill.layer.css';
import '@mantine/core/styles/PillsInput.layer.css';
