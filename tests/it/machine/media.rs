//! Media that were too large to send, or that a provider refused: the conversation goes on without them.

use crate::support::machine::*;
use glove_wasm::error::{ModelError, ModelErrorKind};
use glove_wasm::message::{ContentPart, ContentSource};
use glove_wasm::run::effect::{Effect, Outcome};
use glove_wasm::run::input::{Input, Request, WhenBusy};
use glove_wasm::run::views::timeline::{Timeline, TimelineEntry};

fn picture(data: &str) -> ContentPart {
    let source = ContentSource {
        kind: "base64".to_owned(),
        media_type: "image/png".to_owned(),
        data: Some(data.to_owned()),
        ..ContentSource::default()
    };
    ContentPart { kind: "image".to_owned(), source: Some(source), ..ContentPart::default() }
}

fn shows(world: &mut World, id: &str, data: &str) {
    let mut request = request(id, "look", WhenBusy::Queue);
    request.message.content =
        Some(vec![ContentPart { text: Some("look".to_owned()), ..text() }, picture(data)]);
    world.step(Input::Request(Box::new(Request { ..request })));
}

fn text() -> ContentPart {
    ContentPart { kind: "text".to_owned(), ..ContentPart::default() }
}

fn refused(world: &mut World) {
    refused_for(world, ModelError::new(ModelErrorKind::TooLarge, "Too large."));
}

fn refused_for(world: &mut World, error: ModelError) {
    let call = world.model_call();
    world.in_flight.retain(|effect| *effect != Effect::CallModel { call });
    world.step(Input::ModelFailed { call, error, partial: String::new() });
}

/// What the model is sent of each message that has parts.
fn sent(world: &World) -> Vec<String> {
    let mut sent = Vec::new();
    for message in world.run.model_request().iter() {
        for part in message.content.iter().flatten() {
            let data = part.source.as_ref().and_then(|source| source.data.clone());
            sent.push(data.or_else(|| part.text.clone()).unwrap_or_default());
        }
    }
    sent
}

const NOTE: &str = "[image left out: it was too large to send]";

#[test]
fn a_picture_that_was_too_large_is_left_out_from_then_on_and_later_ones_are_sent() {
    let mut world = World::with_tools([]);
    shows(&mut world, "r1", "SMALL");
    world.model_says("seen");
    shows(&mut world, "r2", "LARGE");
    assert_eq!(sent(&world), ["look", "SMALL", "look", "LARGE"]);
    let before = world.run.model_request().identity();
    refused(&mut world);
    let Outcome::ModelFailed(error) = &world.last_finish().1 else { panic!("{:?}", world.last_finish()) };
    assert_eq!(error.code(), "BODY_TOO_LARGE");
    assert_eq!(
        error.message,
        "Too large. The pictures and files so far are not sent again: send smaller ones, or go on without."
    );
    // Again, after a reload, and with the next message.
    let reloaded = world.restart();
    assert_eq!(reloaded.run, world.run);
    for mut world in [world, reloaded] {
        assert_ne!(world.run.model_request().identity(), before);
        world.step(Input::Resumed);
        assert_eq!(sent(&world), ["look", NOTE, "look", NOTE]);
        world.model_says("I cannot see it");
        shows(&mut world, "r3", "TINY");
        assert_eq!(sent(&world), ["look", NOTE, "look", NOTE, "look", "TINY"]);
        refused(&mut world);
        shows(&mut world, "r4", "NEW");
        assert_eq!(sent(&world), ["look", NOTE, "look", NOTE, "look", NOTE, "look", "NEW"]);
        let kept = world.run.messages().iter().flat_map(|message| message.content.iter().flatten());
        let kept: Vec<_> = kept.filter_map(|part| part.source.as_ref()?.data.clone()).collect();
        assert_eq!(kept, ["SMALL", "LARGE", "TINY", "NEW"], "the record keeps them");
    }
}

#[test]
fn a_picture_of_another_branch_than_the_one_that_was_too_large_is_sent_again() {
    let mut world = World::with_tools([]);
    world.ask("r1", "hello");
    world.model_says("hi");
    let hello = world.run.messages()[0].id.clone().unwrap();
    shows(&mut world, "r2", "SMALL");
    world.model_says("seen");
    let small = world.run.messages()[2].id.clone().unwrap();
    let mut edited = request("r3", "look", WhenBusy::Queue);
    edited.edits = Some(hello);
    edited.message.content = Some(vec![picture("LARGE")]);
    world.step(Input::Request(Box::new(edited)));
    assert_eq!(sent(&world), ["LARGE"]);
    refused(&mut world);
    world.step(Input::Switch { request: "s1".to_owned(), message: small });
    for mut world in [world.restart(), world] {
        assert_eq!(sent(&world), ["look", "SMALL"]);
        world.step(Input::Switch { request: "s2".to_owned(), message: "r3.m2".to_owned() });
        assert_eq!(sent(&world), [NOTE]);
    }
}

#[test]
fn a_refusal_without_pictures_leaves_nothing_out_and_nothing_more_to_say() {
    let mut world = World::with_tools([]);
    world.ask("r1", "far too long");
    refused(&mut world);
    let Outcome::ModelFailed(error) = &world.last_finish().1 else { panic!("{:?}", world.last_finish()) };
    assert_eq!(error.message, "Too large.");
    assert!(!world.run.checkpoint().contains("media_from"));
    shows(&mut world, "r2", "P");
    assert_eq!(sent(&world), ["look", "P"]);
}

#[test]
fn another_failure_leaves_every_picture_in() {
    let mut world = World::with_tools([]);
    shows(&mut world, "r1", "P");
    world.model_fails("");
    world.step(Input::Resumed);
    assert_eq!(sent(&world), ["look", "P"]);
}

#[test]
fn a_picture_that_the_provider_cannot_read_is_not_sent_again_and_nor_is_its_address() {
    const UNREAD: &str = "[image left out: the model cannot read it]";
    let unreadable = || ModelError {
        media: true,
        status: Some(400),
        ..ModelError::new(ModelErrorKind::BadRequest, "Could not process image")
    };
    let mut world = World::with_tools([]);
    shows(&mut world, "r1", "LARGE");
    refused(&mut world);
    let mut request = request("r2", "and this", WhenBusy::Queue);
    let source =
        ContentSource { data: None, url: Some("https://h/a.png".to_owned()), ..picture("").source.unwrap() };
    request.message.content = Some(vec![ContentPart { source: Some(source), ..picture("") }]);
    world.step(Input::Request(Box::new(request)));
    let before = world.run.model_request().identity();
    refused_for(&mut world, unreadable());
    let Outcome::ModelFailed(error) = &world.last_finish().1 else { panic!("{:?}", world.last_finish()) };
    assert_eq!((error.code(), error.status), ("MODEL_BAD_REQUEST", Some(400)));
    assert_eq!(
        error.message,
        "Could not process image. The pictures and files so far are not sent again: send others, or go on without."
    );
    let reloaded = world.restart();
    assert_eq!(reloaded.run, world.run);
    for mut world in [world, reloaded] {
        assert_ne!(world.run.model_request().identity(), before);
        world.step(Input::Resumed);
        assert_eq!(sent(&world), ["look", UNREAD, UNREAD]);
        world.model_says("Go on.");
        shows(&mut world, "r3", "NEW");
        assert_eq!(sent(&world), ["look", UNREAD, UNREAD, "look", "NEW"]);
    }
}

#[test]
fn a_chat_shows_which_media_the_model_does_not_read_also_after_a_reload() {
    let shown = |world: &World| {
        let mut timeline = Timeline::default();
        timeline.follow(&world.run);
        marks(&timeline.entries(&world.run))
    };
    let mut world = World::with_tools([]);
    let mut timeline = Timeline::default();
    world.ask("r0", "no picture");
    world.model_says("Hi.");
    shows(&mut world, "r1", "LARGE");
    timeline.follow(&world.run);
    assert_eq!(marks(&timeline.entries(&world.run)), [false, false]);
    refused(&mut world);
    assert!(timeline.follow(&world.run).is_some());
    assert_eq!(marks(&timeline.entries(&world.run)), [false, true]);
    assert!(timeline.follow(&world.run).is_none());
    assert_eq!(shown(&world.restart()), [false, true]);
    shows(&mut world, "r2", "NEW");
    assert_eq!(shown(&world), [false, true, false]);
}

fn marks(entries: &[TimelineEntry<'_>]) -> Vec<bool> {
    let mut marks = Vec::new();
    for entry in entries {
        if let TimelineEntry::User { left_out, .. } = entry {
            marks.push(*left_out);
        }
    }
    marks
}
