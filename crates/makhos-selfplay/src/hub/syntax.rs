//! Lines of the protocol: a command and its arguments, `name=value`, `name="a value"` or `name`.

/// A line, taken apart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Command {
    pub(super) name: String,
    arguments: Vec<(String, String)>,
}

impl Command {
    /// Takes a line apart; `None` if there is nothing in it.
    ///
    /// # Errors
    /// What is wrong with the line.
    pub(super) fn parse(line: &str) -> Result<Option<Self>, String> {
        let mut words = Vec::new();
        let mut rest = line.trim();
        while !rest.is_empty() {
            let end = rest
                .find(|c: char| c == '=' || c.is_whitespace())
                .unwrap_or(rest.len());
            let (name, tail) = rest.split_at(end);
            if name.is_empty() {
                return Err("an argument has no name in front of '='".to_owned());
            }
            let (value, tail) = match tail.strip_prefix('=') {
                Some(tail) => value(tail)?,
                None => (String::new(), tail),
            };
            words.push((name.to_owned(), value));
            rest = tail.trim_start();
        }
        let mut words = words.into_iter();
        Ok(words.next().map(|(name, _)| Self {
            name,
            arguments: words.collect(),
        }))
    }

    /// The value of an argument, empty if it has none; `None` if it is not there.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let found = self.arguments.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The value of an argument that must be there.
    pub(super) fn need(&self, name: &str) -> Result<&str, String> {
        self.get(name)
            .ok_or_else(|| format!("{} needs the argument {name}", self.name))
    }

    /// The number of an argument, if it is there.
    pub(super) fn number<T: std::str::FromStr>(&self, name: &str) -> Result<Option<T>, String> {
        let Some(text) = self.get(name) else {
            return Ok(None);
        };
        match text.parse() {
            Ok(number) => Ok(Some(number)),
            Err(_) => Err(format!("{name} of {} does not take {text}", self.name)),
        }
    }
}

/// A value and what follows it.
fn value(text: &str) -> Result<(String, &str), String> {
    if let Some(quoted) = text.strip_prefix('"') {
        let (value, rest) = quoted.split_once('"').ok_or("a quote is not closed")?;
        return Ok((value.to_owned(), rest));
    }
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    let (value, rest) = text.split_at(end);
    if value.contains(['=', '"']) {
        return Err(format!("the value {} needs quotes", value.replace('"', "")));
    }
    Ok((value.to_owned(), rest))
}

/// A value as it is written, in quotes where it needs them.
pub(super) fn quoted(value: &str) -> String {
    let plain =
        !value.is_empty() && !value.contains(|c: char| c == '=' || c == '"' || c.is_whitespace());
    if plain {
        value.to_owned()
    } else {
        // The protocol has no way to write a quote within quotes, nor a line within a line.
        let clean = value.replace('"', "'").replace(['\n', '\r'], " ");
        format!("\"{clean}\"")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_taken_apart() {
        let line = "  pos pos=Wbe  moves=\"38-15 5-41\" ponder note=\"\" ";
        let command = Command::parse(line).expect("right").expect("a command");
        assert_eq!(command.name, "pos");
        assert_eq!(command.get("pos"), Some("Wbe"));
        assert_eq!(command.get("moves"), Some("38-15 5-41"));
        assert_eq!(command.get("ponder"), Some(""));
        assert_eq!(command.get("note"), Some(""));
        assert_eq!(command.get("level"), None);
        assert_eq!(Command::parse(" \t "), Ok(None));
    }

    #[test]
    fn what_is_wrong_is_told() {
        for (line, why) in [
            ("pos =W", "no name"),
            ("pos moves=\"38-15", "not closed"),
            ("pos pos=a=b", "needs quotes"),
        ] {
            let error = Command::parse(line).expect_err(line);
            assert!(error.contains(why), "{error}");
        }
        let level = Command::parse("level depth=x")
            .expect("right")
            .expect("a command");
        assert!(level.number::<u32>("depth").is_err());
        assert_eq!(level.number::<u32>("nodes"), Ok(None));
        assert!(level.need("nodes").is_err());
    }

    #[test]
    fn values_are_quoted_where_they_must_be() {
        assert_eq!(quoted("32-28"), "32-28");
        assert_eq!(quoted(""), "\"\"");
        assert_eq!(quoted("a \"b\"\nc"), "\"a 'b' c\"");
    }
}
