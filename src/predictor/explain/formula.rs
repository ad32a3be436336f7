//! Formulas that can be read, in words and with values, and evaluated.

use super::Unit;
use serde::{Serialize, Serializer};

/// A named number of an explanation, and the formula that it follows from where there is one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FormulaTerm {
    /// Its name in formulas.
    pub name: String,
    /// Its value in the base of its unit.
    pub value: f64,
    /// What it is counted in.
    pub unit: Unit,
    /// What it follows from; nothing for what is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formula: Option<Formula>,
}

impl FormulaTerm {
    /// What is given.
    pub(super) fn given(name: impl Into<String>, value: f64, unit: Unit) -> Self {
        Self { name: name.into(), value, unit, formula: None }
    }

    /// What follows from others. The value is the predictor's own, not the formula's.
    pub(super) fn of(name: impl Into<String>, value: f64, unit: Unit, formula: Formula) -> Self {
        Self { name: name.into(), value, unit, formula: Some(formula) }
    }

    /// The value for people, with its unit.
    pub fn shown(&self) -> String {
        self.unit.shown(self.value)
    }

    /// Everything in it that has a formula of its own, itself first.
    pub fn explained(&self) -> Vec<&Self> {
        let mut found = Vec::new();
        self.collect(&mut found);
        found
    }

    fn collect<'t>(&'t self, found: &mut Vec<&'t Self>) {
        if let Some(formula) = &self.formula {
            // A term that occurs twice is listed once.
            if found.contains(&self) {
                return;
            }
            found.push(self);
            formula.each(&mut |term| term.collect(found));
        }
    }
}

/// Formula of a number.
#[derive(Debug, Clone, PartialEq)]
pub enum Formula {
    /// A named number.
    Named(Box<FormulaTerm>),
    /// A literal number.
    Number(f64),
    /// The sum of its terms.
    Sum(Vec<Self>),
    /// The first minus the second.
    Difference(Box<[Self; 2]>),
    /// The product of its factors.
    Product(Vec<Self>),
    /// The first divided by the second.
    Quotient(Box<[Self; 2]>),
    /// The largest.
    Maximum(Vec<Self>),
    /// The smallest.
    Minimum(Vec<Self>),
    /// `(a^n + b^n + ...)^(1/n)`: slightly above the largest if others are close.
    Norm(Vec<Self>, f64),
    /// `e^a`.
    Exponential(Box<Self>),
}

impl From<FormulaTerm> for Formula {
    fn from(term: FormulaTerm) -> Self {
        Self::Named(Box::new(term))
    }
}

impl From<f64> for Formula {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl Formula {
    pub(super) fn less(one: impl Into<Self>, other: impl Into<Self>) -> Self {
        Self::Difference(Box::new([one.into(), other.into()]))
    }

    pub(super) fn over(one: impl Into<Self>, other: impl Into<Self>) -> Self {
        Self::Quotient(Box::new([one.into(), other.into()]))
    }

    pub(super) fn smooth(one: impl Into<Self>, other: impl Into<Self>, exponent: f64) -> Self {
        Self::Norm(vec![one.into(), other.into()], exponent)
    }

    /// Its value, computed from the values of its terms.
    pub fn evaluate(&self) -> f64 {
        let values = |parts: &[Self]| parts.iter().map(Self::evaluate).collect::<Vec<f64>>();
        match self {
            Self::Named(term) => term.value,
            Self::Number(number) => *number,
            Self::Sum(parts) => values(parts).iter().sum(),
            Self::Difference(two) => {
                let [one, other] = &**two;
                one.evaluate() - other.evaluate()
            }
            Self::Product(parts) => values(parts).iter().product(),
            Self::Quotient(two) => {
                let [above, below] = &**two;
                above.evaluate() / below.evaluate()
            }
            Self::Maximum(parts) => values(parts).into_iter().fold(f64::NEG_INFINITY, f64::max),
            Self::Minimum(parts) => values(parts).into_iter().fold(f64::INFINITY, f64::min),
            Self::Norm(parts, exponent) => {
                let values = values(parts);
                let most = values.iter().copied().fold(0.0, f64::max);
                if most <= 0.0 {
                    return 0.0;
                }
                let sum: f64 = values.iter().map(|value| libm::pow(value / most, *exponent)).sum();
                most * libm::pow(sum, 1.0 / exponent)
            }
            Self::Exponential(part) => libm::exp(part.evaluate()),
        }
    }

    /// The formula in words.
    pub fn words(&self) -> String {
        self.written(&|term| term.name.clone())
    }

    /// The formula with the job's values.
    pub fn values(&self) -> String {
        self.written(&FormulaTerm::shown)
    }

    /// Calls `visit` with each of its terms.
    pub fn each<'t>(&'t self, visit: &mut dyn FnMut(&'t FormulaTerm)) {
        match self {
            Self::Named(term) => visit(term),
            Self::Number(_) => {}
            Self::Sum(parts)
            | Self::Product(parts)
            | Self::Maximum(parts)
            | Self::Minimum(parts)
            | Self::Norm(parts, _) => parts.iter().for_each(|part| part.each(visit)),
            Self::Difference(two) | Self::Quotient(two) => {
                two.iter().for_each(|part| part.each(visit));
            }
            Self::Exponential(part) => part.each(visit),
        }
    }

    fn written(&self, term: &dyn Fn(&FormulaTerm) -> String) -> String {
        let joined = |parts: &[Self], sign: &str, weak: bool| {
            let texts: Vec<String> = parts.iter().map(|part| part.inside(term, weak)).collect();
            texts.join(sign)
        };
        match self {
            Self::Named(named) => term(named),
            Self::Number(number) => Unit::Number.shown(*number),
            Self::Sum(parts) => joined(parts, " + ", false),
            Self::Difference(two) => {
                let [one, other] = &**two;
                format!("{} \u{2212} {}", one.written(term), other.inside(term, true))
            }
            Self::Product(parts) => joined(parts, " \u{d7} ", true),
            Self::Quotient(two) => {
                let [above, below] = &**two;
                let below = match below {
                    Self::Product(_) => format!("({})", below.written(term)),
                    _ => below.inside(term, true),
                };
                format!("{} / {below}", above.inside(term, true))
            }
            Self::Maximum(parts) => format!("max({})", joined(parts, ", ", false)),
            Self::Minimum(parts) => format!("min({})", joined(parts, ", ", false)),
            Self::Norm(parts, exponent) => {
                let exponent = Unit::Number.shown(*exponent);
                let powers: Vec<String> =
                    parts.iter().map(|part| format!("{}^{exponent}", part.inside(term, true))).collect();
                format!("({})^(1/{exponent})", powers.join(" + "))
            }
            Self::Exponential(part) => format!("exp({})", part.written(term)),
        }
    }

    /// As a part of a larger formula: in brackets if that binds tighter.
    fn inside(&self, term: &dyn Fn(&FormulaTerm) -> String, binds: bool) -> String {
        let weak = matches!(self, Self::Sum(_) | Self::Difference(_)) && binds;
        if weak { format!("({})", self.written(term)) } else { self.written(term) }
    }
}

/// A formula in JSON: in words, with values, and its terms.
impl Serialize for Formula {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Written<'t> {
            words: String,
            values: String,
            terms: Vec<&'t FormulaTerm>,
        }
        let mut terms = Vec::new();
        self.each(&mut |term| terms.push(term));
        Written { words: self.words(), values: self.values(), terms }.serialize(serializer)
    }
}
