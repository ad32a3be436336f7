//! A worker that runs a module's own WebAssembly a second time (`static/worker.js` starts it there).

use js_sys::{Object, Reflect};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{Event, MessageEvent, Worker, WorkerOptions, WorkerType};

/// A worker; dropping it ends it at once.
pub struct Running {
    worker: Worker,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(Event)>,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.worker.terminate();
    }
}

impl Running {
    /// Starts one. `glue` is the address of the module's JavaScript, `hear` gets what the worker says, `fail` why
    /// it broke. Both belong to the worker: neither may drop it before it returns ([`drop_later`]).
    pub fn start(
        glue: &str,
        mut hear: impl FnMut(JsValue) + 'static,
        mut fail: impl FnMut(String) + 'static,
    ) -> Result<Self, JsValue> {
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        // The glue's name holds a hash; with it, no cache gives this build another build's worker.
        let build = glue.rsplit('/').next().unwrap_or_default();
        let worker = Worker::new_with_options(&format!("./worker.js?{build}"), &options)?;
        let on_message =
            Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| hear(event.data()));
        let on_error = Closure::<dyn FnMut(Event)>::new(move |event: Event| {
            event.prevent_default();
            // A script that cannot be loaded fires an event without a message.
            let message = Reflect::get(&event, &"message".into()).ok().and_then(|text| text.as_string());
            fail(message.unwrap_or_else(|| "the worker could not be loaded".to_owned()));
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));

        // The compiled module itself goes over, so that it is neither fetched nor compiled again.
        let start = Object::new();
        Reflect::set(&start, &"glue".into(), &glue.into())?;
        Reflect::set(&start, &"module".into(), &wasm_bindgen::module())?;
        worker.post_message(&start)?;
        Ok(Self { worker, _on_message: on_message, _on_error: on_error })
    }

    /// Sends it a request.
    pub fn ask(&self, request: &JsValue) {
        let _ = self.worker.post_message(request);
    }
}

/// Drops what holds a worker once the closure that runs now, which belongs to it, has returned.
pub fn drop_later(broken: impl Sized + 'static) {
    gloo::timers::callback::Timeout::new(0, move || drop(broken)).forget();
}

/// What an error says.
pub fn describe(error: &JsValue) -> String {
    error.as_string().unwrap_or_else(|| String::from(Object::from(error.clone()).to_string()))
}
