//! Steps of a program: each prints one line, and a failed one does not stop the others.

use std::future::Future;
use std::time::Duration;

pub type Outcome = Result<(), Box<dyn std::error::Error + Send + Sync>>;

const LIMIT: Duration = Duration::from_secs(60);

pub async fn step(name: &str, check: impl Future<Output = Outcome>) {
    let failure = match tokio::time::timeout(LIMIT, check).await {
        Ok(Ok(())) => return println!("STEP ok {name}"),
        Ok(Err(error)) => format!("{error} {error:?}"),
        Err(_) => format!("no end after {LIMIT:?}"),
    };
    let words: Vec<&str> = failure.split_whitespace().collect();
    println!("STEP failed {name}: {}", words.join(" "));
}

pub fn expect(holds: bool, text: impl Into<String>) -> Outcome {
    if holds {
        return Ok(());
    }
    Err(text.into().into())
}

/// The call is refused with this code, and this part in the message.
pub fn refused<T>(answer: Result<T, kube::Error>, code: u16, part: &str) -> Outcome {
    match answer {
        Err(kube::Error::Api(status)) => {
            expect(status.code == code && status.message.contains(part), format!("{status:?}"))
        }
        Err(error) => Err(error.into()),
        Ok(_) => Err(format!("accepted, but {code} was expected").into()),
    }
}

pub async fn eventually<F: Future<Output = bool>>(what: &str, holds: impl Fn() -> F) -> Outcome {
    for _ in 0..600 {
        if holds().await {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Err(format!("not in time: {what}").into())
}
