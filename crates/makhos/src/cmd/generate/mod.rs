//! `makhos generate`: making tables.

mod draw;
mod estimate;
mod report;
pub(crate) mod size;
mod watch;

use std::time::Instant;

use clap::{ArgGroup, Args};
use makhos_index::{Material, PlacementIndex, classes};
use makhos_probe::{Manifest, Metric, WriteError, variant_directory};
use makhos_retro::{GenerateError, Generator, Plan, SolvedBoard, Storage};
use makhos_rules::{Board, RuleSet};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::args::{DirArgs, DrawArgs, MetricArg, RulesArgs};
use crate::board::BoardCommand;
use crate::exit::{Exit, Failure, OrFail, Outcome};
use crate::interrupt::Interrupt;
use crate::memory::MemoryArgs;
use crate::text;

use self::report::Run;
use self::watch::Watch;

const AFTER_HELP: &str = "\
Classes that others need are made first. Tables that are there already are kept, so the same
command resumes what was interrupted: Ctrl-C stops cleanly, and a killed run loses only the
class in hand. In the end SHA256SUMS beside the tables lists them all with their digests, for
`makhos verify` and for `sha256sum --check`. With --metric wld a class that takes long is saved once a minute, and goes on
from there.
Tables leave out values where a capture is compulsory; probing finds them. Making larger classes
needs them: meanwhile they lie in DIR/work, and a later run for more pieces finds them again,
unless they were kept (--keep-work) or stored (--complete).
With --draw-rules the tables under these rules are made as well: DTZ, the plies that must be left
on the clock of the rule in force for the result to hold. Estimates are without them.
An estimate of time goes by the speed of the moment and was up to two thirds too high; those of
memory and disk were within a sixth. The disk that DIR/work takes meanwhile is not in it.
Amounts of memory: 8GiB, 500MB, or plain bytes.

Examples:
  makhos generate --variant russian --pieces 4
  makhos generate --variant english --pieces 5 --estimate
  makhos generate --variant russian --pieces 4 --draw-rules official
  makhos generate --variant thai --option removal=end --class 2k-1k --class 1m1k-1k
  makhos generate --variant international --pieces 3 --metric wld --threads 2 --memory 4GiB";

/// Generate tables of all classes up to a number of pieces, or of some classes
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
#[command(group(ArgGroup::new("what").required(true).multiple(true).args(["pieces", "class"])))]
pub(crate) struct GenerateArgs {
    #[command(flatten)]
    rules: RulesArgs,

    /// Make all classes with 2 to N pieces on the board, both sides together
    #[arg(long, value_name = "N")]
    pieces: Option<u32>,

    /// Make this class and all it needs, e.g. 3k-1k (men m, kings k; either side first); may be
    /// repeated
    #[arg(long, value_name = "CLASS")]
    class: Vec<Material>,

    /// What the tables hold
    #[arg(long, value_enum, value_name = "METRIC", default_value_t = MetricArg::Dtw)]
    metric: MetricArg,

    #[command(flatten)]
    draw: DrawArgs,

    #[command(flatten)]
    dir: DirArgs,

    /// Threads to work with; without it as many as the machine has
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    #[command(flatten)]
    memory: MemoryArgs,

    /// Store the values of all positions, also of those in which a capture is compulsory: files are several
    /// times larger, and larger sets can be made from them without finding those values again
    #[arg(long, conflicts_with = "one_side")]
    complete: bool,

    /// Store outcomes of one side to move, the one that takes less room: files are half as large, and probing
    /// positions with the other side to move looks at all their moves, which takes several times as long
    #[arg(long)]
    one_side: bool,

    /// Keep the complete tables in the directory `work`, which are removed otherwise when all is done
    #[arg(long)]
    keep_work: bool,

    /// Only print what would be made and about what it takes, measured on small classes for a second;
    /// nothing is written but to the directory for temporary files
    #[arg(long)]
    estimate: bool,

    /// Print one JSON document instead of tables
    #[arg(long)]
    json: bool,
}

impl BoardCommand for GenerateArgs {
    fn rules(&self) -> &RulesArgs {
        &self.rules
    }

    fn run<B: SolvedBoard>(&self, rules: &RuleSet) -> Outcome<Exit> {
        let targets = self.targets::<B>(rules)?;
        let metric = Metric::from(self.metric);
        let allowed = self.memory.allowed()?;
        let pool = self.pool()?;
        let threads = pool.current_num_threads();
        let storage = match (self.complete, self.one_side) {
            (true, _) => Storage::Complete,
            (_, true) => Storage::OneSide,
            _ => Storage::Compact,
        };
        let generator = Generator::<B>::new(*rules, &self.dir.dir, metric)
            .with_threads(threads)
            .with_storage(storage)
            .keeping_work(self.keep_work);
        let draw_rules = self.draw.draw_rules(rules, &self.rules, false)?;
        if self.estimate {
            // Without a limit, so that what does not fit can be told as well.
            let plan = generator.plan(&targets).map_err(failure)?;
            let what = estimate::Question {
                rules,
                dir: &self.dir.dir,
                metric,
                storage,
                plan: &plan,
                allowed,
                threads,
            };
            return what.answer::<B>()?.print(self.json);
        }
        let generator = generator.with_memory(allowed);
        let plan = generator.plan(&targets).map_err(failure)?;
        let drawn = draw_rules
            .map(|draw_rules| {
                let dir = &self.dir.dir;
                draw::Drawn::<B>::plan(rules, draw_rules, dir, &targets, allowed, threads)
            })
            .transpose()?;
        let interrupt = Interrupt::install()?;
        let watch = Watch::new(&plan, interrupt.clone());
        watch.announce(&self.announcement(rules, &plan, threads, allowed));
        let start = Instant::now();
        let reports = pool.install(|| generator.run(&plan, &watch));
        let time = start.elapsed();
        watch.finish();
        let reports = reports.map_err(failure)?;
        Manifest::update(&self.dir.dir.join(variant_directory(rules))).or_environment()?;
        let drawn = drawn.map(|drawn| drawn.run(&pool, interrupt, &reports));
        let run = Run {
            rules,
            dir: &self.dir.dir,
            metric,
            threads,
            time,
            drawn: drawn.transpose()?,
        };
        run.print::<B>(&reports, self.json)?;
        Ok(Exit::Done)
    }
}

impl GenerateArgs {
    /// The classes asked for.
    fn targets<B: Board>(&self, rules: &RuleSet) -> Outcome<Vec<Material>> {
        for &class in &self.class {
            PlacementIndex::<B>::new(class.canonical()).or_usage()?;
        }
        if let Some(pieces) = self.pieces {
            let most = 2 * u32::from(rules.man_rows) * B::PER_ROW;
            if !(2..=most).contains(&pieces) {
                let message = format!(
                    "--pieces {pieces}: {} draughts has endgames of 2 to {most} pieces, both sides together",
                    rules.name
                );
                return Err(Failure::say(Exit::Usage, message));
            }
        }
        size::check::<B>(self.pieces, &self.class)?;
        let mut targets = self.class.clone();
        targets.extend(self.pieces.map(classes).into_iter().flatten());
        Ok(targets)
    }

    fn pool(&self) -> Outcome<ThreadPool> {
        // 0 stands for all threads of the machine.
        let threads = self.threads.map_or(0, usize::from);
        ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .or_environment()
    }

    fn announcement(&self, rules: &RuleSet, plan: &Plan, threads: usize, allowed: u64) -> String {
        let variant = variant_directory(rules);
        let there = plan.steps.iter().filter(|step| step.done).count();
        let again = plan.steps.iter().filter(|step| step.again).count();
        let made = text::classes((plan.steps.len() - there) as u64);
        let classes = match (plan.steps.len() - there, there, again) {
            (0, ..) => return format!("{variant}: all {} are there", text::classes(there as u64)),
            (_, 0, _) => made,
            (_, _, 0) => format!("{made} ({there} more are there)"),
            _ => format!(
                "{made} ({there} more are there, {again} of them are solved again for what their tables leave out)"
            ),
        };
        format!(
            "{variant}: making {classes}, {} positions, in {}; threads: {threads}, memory: {} of {} allowed",
            text::grouped(plan.open_positions().into()),
            self.dir.dir.display(),
            text::bytes(plan.memory()),
            text::bytes(allowed),
        )
    }
}

/// Gives an error of generation its exit code.
fn failure(error: GenerateError) -> Failure {
    if error.is_interrupted() {
        let message = format!("{error}; what is finished stays, and the same command resumes");
        return Failure::say(Exit::Interrupted, message);
    }
    let exit = match &error {
        GenerateError::Class { .. } | GenerateError::Write(WriteError::Class { .. }) => Exit::Usage,
        _ => Exit::Environment,
    };
    Failure::new(exit, error)
}
