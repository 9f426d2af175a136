//! Charts of many runs, drawn by plotters. Their colours and letters are those of the
//! style sheet, since a drawing knows no theme: what it draws in a colour of its own
//! becomes a class.

#![allow(clippy::cast_precision_loss, reason = "a drawing has fewer dots than a number has digits")]

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::html::escape;

/// The classes, by the colours that stand for them while a chart is drawn.
const CLASSES: [(RGBColor, &str); 5] =
    [(FIRST, "bar-first"), (SECOND, "bar-second"), (AXIS, "axis"), (LABEL, "label"), (NOTE, "note")];
const FIRST: RGBColor = RGBColor(1, 1, 1);
const SECOND: RGBColor = RGBColor(2, 2, 2);
const AXIS: RGBColor = RGBColor(3, 3, 3);
const LABEL: RGBColor = RGBColor(4, 4, 4);
const NOTE: RGBColor = RGBColor(5, 5, 5);

/// The sizes in which a chart is drawn: for wide screens, and for narrow ones.
const SIZES: [(&str, u32, u32); 2] = [("wide", 660, 220), ("narrow", 340, 200)];

/// A chart of bars.
pub struct Bars<'a> {
    /// What it shows, for those who can't see it.
    pub about: &'a str,
    /// What stands below each group of bars.
    pub names: Vec<String>,
    /// One or two rows of bars, each with as many as there are names.
    pub rows: Vec<Vec<f64>>,
    /// How the height of a bar is written at the axis.
    pub written: fn(&f64) -> String,
    /// What is noted above a group: its place, and the words.
    pub notes: Vec<(usize, &'a str)>,
    /// Whether the height of a bar that is hardly to be seen is written above it.
    pub little_is_written: bool,
}

/// The part of the highest bar below which one is hardly to be seen.
const LITTLE: f64 = 0.02;

impl Bars<'_> {
    /// The chart as SVG, once for each size; the style sheet shows one of them.
    pub fn svg(&self) -> String {
        let one = |(class, width, height)| {
            let mut svg = String::new();
            // Where there is little room, every second name says enough.
            let each = if width < 400 && self.names.len() > 12 { 2 } else { 1 };
            self.draw(&SVGBackend::with_string(&mut svg, (width, height)).into_drawing_area(), each)
                .expect("text has room for every drawing");
            themed(&svg, class, &escape(self.about))
        };
        SIZES.map(one).concat()
    }

    fn draw(&self, area: &DrawingArea<SVGBackend<'_>, Shift>, each: usize) -> Result<(), Box<dyn std::error::Error>> {
        let groups = self.names.len() as f64;
        let most = self.rows.iter().flatten().copied().fold(0.0, f64::max);
        let mut chart = ChartBuilder::on(area)
            .margin_top(24)
            .margin_right(6)
            .margin_bottom(24)
            .y_label_area_size(60)
            .build_cartesian_2d(0.0..groups, 0.0..most * 1.05)?;
        let label = TextStyle::from(("sans-serif", 11)).color(&LABEL);
        chart
            .configure_mesh()
            .disable_x_mesh()
            .x_labels(0)
            .y_labels(4)
            .y_label_formatter(&self.written)
            .label_style(label.clone())
            .light_line_style(TRANSPARENT)
            .bold_line_style(AXIS)
            .axis_style(AXIS)
            .draw()?;
        let width = 0.8 / self.rows.len() as f64;
        for ((row, heights), colour) in (0_u8..).zip(&self.rows).zip([FIRST, SECOND]) {
            let bars = (0_u16..).zip(heights).filter(|(_, height)| **height > 0.0);
            // What is there is never drawn as nothing: a bar is a dot high at least.
            let dot = most * 1.05 / f64::from(chart.plotting_area().dim_in_pixel().1.max(1)) * 1.5;
            chart.draw_series(bars.map(|(group, &height)| {
                let left = f64::from(group) + 0.1 + f64::from(row) * width;
                Rectangle::new([(left, 0.0), (left + width, height.max(dot))], colour.filled())
            }))?;
        }
        let below = label.clone().pos(Pos::new(HPos::Center, VPos::Top));
        let named = (0_u16..).zip(&self.names).step_by(each);
        chart.draw_series(named.map(|(group, name)| {
            EmptyElement::at((f64::from(group) + 0.5, 0.0)) + Text::new(name.clone(), (0, 6), below.clone())
        }))?;
        if self.little_is_written {
            let above = label.pos(Pos::new(HPos::Center, VPos::Bottom));
            let heights = || (0_u16..).zip(self.rows.iter().flatten()).filter(|(_, height)| **height > 0.0);
            chart.draw_series(heights().filter(|(_, height)| **height < most * LITTLE).map(|(group, height)| {
                EmptyElement::at((f64::from(group) + 0.5, *height))
                    + Text::new((self.written)(height), (0, -4), above.clone())
            }))?;
        }
        let above = TextStyle::from(("sans-serif", 11)).color(&NOTE).pos(Pos::new(HPos::Right, VPos::Bottom));
        chart.draw_series(self.notes.iter().map(|&(group, words)| {
            let top = self.rows.iter().map(|row| row[group]).fold(0.0, f64::max);
            EmptyElement::at((group as f64 + 0.5, top))
                + PathElement::new([(0, -4), (0, -18)], NOTE)
                + Text::new(words.to_string(), (4, -20), above.clone())
        }))?;
        area.present()?;
        Ok(())
    }
}

/// A drawing with a class in place of each colour, and a name in place of its size.
fn themed(svg: &str, class: &str, about: &str) -> String {
    let (_, rest) = svg.split_once(" viewBox").unwrap_or(("", svg));
    let themed = format!("<svg class=\"figure {class}\" role=\"img\" aria-label=\"{about}\" viewBox{rest}");
    CLASSES.iter().fold(themed, |svg, (RGBColor(red, green, blue), class)| {
        let colour = format!("#{red:02X}{green:02X}{blue:02X}");
        let svg = svg.replace(&format!("fill=\"{colour}\" stroke=\"none\""), &format!("class=\"{class}\""));
        svg.replace(&format!("fill=\"{colour}\""), &format!("class=\"{class}\""))
            .replace(&format!("stroke=\"{colour}\""), &format!("class=\"{class}\""))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_has_a_class_and_no_colour() {
        let bars = Bars {
            about: "Two \"bars\"",
            names: vec!["1".to_string(), "2".to_string()],
            rows: vec![vec![0.25, 0.75], vec![0.5, 0.5]],
            written: |height| format!("{height}"),
            notes: vec![(1, "here")],
            little_is_written: false,
        };
        let svg = bars.svg();
        assert_eq!(svg.matches("class=\"bar-first\"").count(), 4, "{svg}");
        assert_eq!(svg.matches("class=\"bar-second\"").count(), 4, "{svg}");
        assert_eq!(svg.matches("<svg class=\"figure ").count(), 2, "{svg}");
        assert!(svg.contains("aria-label=\"Two &quot;bars&quot;\""), "{svg}");
        assert!(!svg.contains("fill=\"#0") && !svg.contains("stroke=\"#0") && !svg.contains("style="), "{svg}");
        assert!(svg.contains("here"), "{svg}");
    }

    /// The tops and the heights of all bars, in dots.
    fn heights(svg: &str) -> Vec<u32> {
        let height = |bar: &str| bar.split_once("height=\"")?.1.split_once('"')?.0.parse().ok();
        svg.split("<rect ").filter(|part| part.contains("class=\"bar-first\"")).filter_map(height).collect()
    }

    #[test]
    fn a_bar_that_is_there_can_be_seen_and_its_number_is_written() {
        let bars = Bars {
            about: "Much and little",
            names: ["1", "2", "3"].map(str::to_string).to_vec(),
            rows: vec![vec![100_000.0, 1.0, 0.0]],
            written: |height| format!("{height:.0} in all"),
            notes: Vec::new(),
            little_is_written: true,
        };
        let svg = bars.svg();
        let heights = heights(&svg);
        assert!(heights.len() == 4 && heights.iter().all(|&height| height >= 1), "{heights:?}: {svg}");
        assert_eq!(svg.matches("\n1 in all\n").count(), 2, "{svg}");
    }
}
