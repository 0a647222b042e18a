// The scene of the task: a goal that is worked through over files, watched and approved on a board.
import { deleteTaskWorkspace } from "glove-wasm/tasks";
import { TaskBoard, useTask } from "glove-wasm/tasks/react";
import { useEffect } from "react";
import { task as scene } from "../scenes.js";
import { Sidebar, Switches } from "../sidebar.js";
import { useRoom } from "../width.js";
import { agent } from "./agent.js";
import { prepared, spec, workspaceId } from "./files.js";

export function TaskPage() {
  const docked = useRoom() > 1;
  const task = useTask(workspaceId, { agent });
  useEffect(() => void prepared(), []);
  const over = task.state && task.runner === "nobody";
  const again = async () => {
    await deleteTaskWorkspace(workspaceId);
    await prepared();
  };
  return (
    <div className="page" data-scene={scene.id}>
      {docked && <Sidebar scene={scene} docked threads={false} />}
      <main className="chat task">
        <h1 className="heard">{scene.name}</h1>
        {(over || !docked) && (
          <header className="bar">
            {!docked && <Switches scene={scene} threads={false} />}
            <div className="bar-end">
              {over && (
                <button type="button" onClick={() => void again()}>
                  Start over
                </button>
              )}
            </div>
          </header>
        )}
        <div className="task-scroll">
          <TaskBoard task={task} start={spec} />
        </div>
      </main>
    </div>
  );
}
