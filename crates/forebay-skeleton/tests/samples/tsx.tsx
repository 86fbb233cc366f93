// Buttons that can be pressed.
import React from "react";

export interface ButtonProps {
  label: string;
  onPress?: () => void;
}

/** A button. */
export function Button({ label, onPress }: ButtonProps): JSX.Element {
  return <button onClick={onPress}>{label}</button>;
}

export const Row: React.FC<{ children: React.ReactNode }> = ({ children }) => (
  <div className="row">{children}</div>
);

export const Themed = React.memo(function Themed(props: ButtonProps) {
  return <Button {...props} />;
});

const useInner = () => 1;

export class Panel extends React.Component<ButtonProps, { open: boolean }> {
  state = { open: false };

  toggle(): void {
    this.setState({ open: !this.state.open });
  }

  render() {
    return <Row>{this.props.label}</Row>;
  }
}

export type Size = "small" | "large";

export default Button;
