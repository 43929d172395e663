// Styles of components that only forms use. Each module that uses one of them imports this file; it is loaded with the
// first page that needs it.
import '@mantine/core/styles/Checkbox.layer.css';
import '@mantine/core/styles/Radio.layer.css';
import '@mantine/core/styles/Pill.layer.css';
import '@mantine/core/styles/PillsInput.layer.css';
import '@mantine/core/styles/NumberInput.layer.css';
import '@mantine/core/styles/Slider.layer.css';
import '@mantine/core/styles/Progress.layer.css';
import '@mantine/core/styles/ColorSwatch.layer.css';
